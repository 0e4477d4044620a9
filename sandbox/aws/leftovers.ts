// What is left in an account after a destroy.
import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import * as ec2 from "@aws-sdk/client-ec2";
import { ListClustersCommand } from "@aws-sdk/client-eks";
import {
  DescribeLoadBalancersCommand,
  DescribeTargetGroupsCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import {
  ListInstanceProfilesCommand,
  ListOpenIDConnectProvidersCommand,
  ListPoliciesCommand,
  ListRolesCommand,
  ListUsersCommand,
} from "@aws-sdk/client-iam";
import { DescribeKeyCommand, ListKeysCommand } from "@aws-sdk/client-kms";
import { ListHostedZonesCommand } from "@aws-sdk/client-route-53";
import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { DescribeParametersCommand } from "@aws-sdk/client-ssm";
import type { Clients } from "./clients";

/** Something that exists and does not come with an empty account. */
export interface Leftover {
  /** Such as `ec2 volume`. */
  kind: string;
  id: string;
}

type Search = (aws: Clients) => Promise<(string | undefined)[]>;

const gone = (state: string | undefined): boolean => state === "terminated" || state === "deleted";

/** How each kind is found. What every account has from the beginning is left out. */
const SEARCHES: Readonly<Record<string, Search>> = {
  "ec2 instance": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeInstancesCommand({}))).Reservations ?? [])
      .flatMap(({ Instances }) => Instances ?? [])
      .filter(({ State }) => !gone(State?.Name))
      .map(({ InstanceId }) => InstanceId),
  "ec2 volume": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeVolumesCommand({}))).Volumes ?? []).map(({ VolumeId }) => VolumeId),
  "ec2 snapshot": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeSnapshotsCommand({ OwnerIds: ["self"] }))).Snapshots ?? [])
      .filter(({ Description }) => Description?.startsWith("Auto-created snapshot for AMI") !== true)
      .map(({ SnapshotId }) => SnapshotId),
  "ec2 network interface": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeNetworkInterfacesCommand({}))).NetworkInterfaces ?? []).map(
      ({ NetworkInterfaceId }) => NetworkInterfaceId,
    ),
  "ec2 vpc": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeVpcsCommand({}))).Vpcs ?? [])
      .filter(({ IsDefault }) => IsDefault !== true)
      .map(({ VpcId }) => VpcId),
  "ec2 subnet": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeSubnetsCommand({}))).Subnets ?? [])
      .filter(({ DefaultForAz }) => DefaultForAz !== true)
      .map(({ SubnetId }) => SubnetId),
  "ec2 security group": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeSecurityGroupsCommand({}))).SecurityGroups ?? [])
      .filter(({ GroupName }) => GroupName !== "default")
      .map(({ GroupId }) => GroupId),
  "ec2 internet gateway": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeInternetGatewaysCommand({}))).InternetGateways ?? []).map(
      ({ InternetGatewayId }) => InternetGatewayId,
    ),
  "ec2 nat gateway": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeNatGatewaysCommand({}))).NatGateways ?? [])
      .filter(({ State }) => !gone(State))
      .map(({ NatGatewayId }) => NatGatewayId),
  "ec2 route table": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeRouteTablesCommand({}))).RouteTables ?? [])
      .filter(({ Associations }) => Associations?.some(({ Main }) => Main) !== true)
      .map(({ RouteTableId }) => RouteTableId),
  "ec2 elastic ip": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeAddressesCommand({}))).Addresses ?? []).map(
      ({ AllocationId }) => AllocationId,
    ),
  "ec2 key pair": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeKeyPairsCommand({}))).KeyPairs ?? []).map(({ KeyName }) => KeyName),
  "ec2 launch template": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeLaunchTemplatesCommand({}))).LaunchTemplates ?? []).map(
      ({ LaunchTemplateId }) => LaunchTemplateId,
    ),
  "ec2 vpc endpoint": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeVpcEndpointsCommand({}))).VpcEndpoints ?? [])
      .filter(({ State }) => !gone(State))
      .map(({ VpcEndpointId }) => VpcEndpointId),
  "ec2 flow log": async (aws) =>
    ((await aws.ec2.send(new ec2.DescribeFlowLogsCommand({}))).FlowLogs ?? []).map(
      ({ FlowLogId }) => FlowLogId,
    ),
  "load balancer": async (aws) =>
    ((await aws.elb.send(new DescribeLoadBalancersCommand({}))).LoadBalancers ?? []).map(
      ({ LoadBalancerArn }) => LoadBalancerArn,
    ),
  "target group": async (aws) =>
    ((await aws.elb.send(new DescribeTargetGroupsCommand({}))).TargetGroups ?? []).map(
      ({ TargetGroupArn }) => TargetGroupArn,
    ),
  "auto scaling group": async (aws) =>
    ((await aws.autoscaling.send(new DescribeAutoScalingGroupsCommand({}))).AutoScalingGroups ?? []).map(
      ({ AutoScalingGroupName }) => AutoScalingGroupName,
    ),
  "eks cluster": async (aws) => (await aws.eks.send(new ListClustersCommand({}))).clusters ?? [],
  "iam role": async (aws) =>
    ((await aws.iam.send(new ListRolesCommand({}))).Roles ?? []).map(({ RoleName }) => RoleName),
  "iam policy": async (aws) =>
    ((await aws.iam.send(new ListPoliciesCommand({ Scope: "Local" }))).Policies ?? []).map(({ Arn }) => Arn),
  "iam instance profile": async (aws) =>
    ((await aws.iam.send(new ListInstanceProfilesCommand({}))).InstanceProfiles ?? []).map(
      ({ InstanceProfileName }) => InstanceProfileName,
    ),
  "iam user": async (aws) =>
    ((await aws.iam.send(new ListUsersCommand({}))).Users ?? []).map(({ UserName }) => UserName),
  "iam oidc provider": async (aws) =>
    ((await aws.iam.send(new ListOpenIDConnectProvidersCommand({}))).OpenIDConnectProviderList ?? []).map(
      ({ Arn }) => Arn,
    ),
  "kms key": keys,
  "ssm parameter": async (aws) =>
    ((await aws.ssm.send(new DescribeParametersCommand({}))).Parameters ?? [])
      .map(({ Name }) => Name)
      .filter((name) => name?.startsWith("/aws/") !== true),
  "log group": async (aws) =>
    ((await aws.logs.send(new DescribeLogGroupsCommand({}))).logGroups ?? []).map(
      ({ logGroupName }) => logGroupName,
    ),
  "s3 bucket": async (aws) =>
    ((await aws.s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name }) => Name),
  "hosted zone": async (aws) =>
    ((await aws.route53.send(new ListHostedZonesCommand({}))).HostedZones ?? []).map(({ Id }) => Id),
};

/** Everything that exists and that somebody made, over all services of the sandbox. */
export async function findLeftovers(aws: Clients): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const [kind, search] of Object.entries(SEARCHES)) {
    for (const id of await search(aws)) found.push({ kind, id: id ?? "" });
  }
  return found;
}

// A deleted key waits a week before it is gone; AWS's own keys are never ours.
async function keys(aws: Clients): Promise<string[]> {
  const all = (await aws.kms.send(new ListKeysCommand({}))).Keys ?? [];
  const described = await Promise.all(
    all.map(({ KeyId }) => aws.kms.send(new DescribeKeyCommand({ KeyId: KeyId ?? "" }))),
  );
  return described.flatMap(({ KeyMetadata }) =>
    KeyMetadata?.KeyState === "PendingDeletion" ||
    KeyMetadata?.KeyManager === "AWS" ||
    // The key that EC2 makes for the first encrypted volume.
    KeyMetadata?.Description?.startsWith("Default master key that protects my EBS volumes") === true
      ? []
      : [KeyMetadata?.KeyId ?? ""],
  );
}
