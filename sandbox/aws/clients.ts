import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import { IAMClient } from "@aws-sdk/client-iam";
import { KMSClient } from "@aws-sdk/client-kms";
import { Route53Client } from "@aws-sdk/client-route-53";
import { S3Client } from "@aws-sdk/client-s3";
import { SSMClient } from "@aws-sdk/client-ssm";
import { CREDENTIALS } from "./variables";

/** The account that everything of the sandbox belongs to. */
export const ACCOUNT = "123456789012";

/** Clients of the services that the sandbox knows. */
export interface Clients {
  ec2: EC2Client;
  iam: IAMClient;
  elb: ElasticLoadBalancingV2Client;
  autoscaling: AutoScalingClient;
  eks: EKSClient;
  kms: KMSClient;
  ssm: SSMClient;
  logs: CloudWatchLogsClient;
  s3: S3Client;
  route53: Route53Client;
  close: () => void;
}

/** Clients that talk to one endpoint: rules use moto's own, so that they see neither faults nor delays of the HTTP front end. */
export function clientsFor(endpoint: string, region: string): Clients {
  const settings = { endpoint, region, credentials: CREDENTIALS, maxAttempts: 1 };
  const clients = {
    ec2: new EC2Client(settings),
    iam: new IAMClient(settings),
    elb: new ElasticLoadBalancingV2Client(settings),
    autoscaling: new AutoScalingClient(settings),
    eks: new EKSClient(settings),
    kms: new KMSClient(settings),
    ssm: new SSMClient(settings),
    logs: new CloudWatchLogsClient(settings),
    s3: new S3Client({ ...settings, forcePathStyle: true }),
    route53: new Route53Client(settings),
  };
  return {
    ...clients,
    close: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
