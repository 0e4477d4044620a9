import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";

/** Where the region lies: AWS itself, GovCloud or China. Each has account ids, ARNs and host names of its own. */
export interface Partition {
  /** The second part of every ARN. @example "aws-us-gov" */
  readonly partition: string;
  /** @example "amazonaws.com.cn" */
  readonly dnsSuffix: string;
  /** @example "cn.com.amazonaws" */
  readonly reverseDnsPrefix: string;
}

/** The partition in which everything is made. */
export function partitionOf(parent: pulumi.Resource): pulumi.Output<Partition> {
  return aws.getPartitionOutput({}, { parent });
}

/** The service principal of EC2, the only one that has the host name of its partition. */
export function ec2Principal({ dnsSuffix }: Partition): string {
  return `ec2.${dnsSuffix}`;
}

/** What a policy allows. */
export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly condition?: object;
}

/** The text of a policy that allows something. */
export function allows(statements: readonly Statement[]): string {
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: statements.map(({ actions, resources, condition }) => ({
      Effect: "Allow",
      Action: actions,
      Resource: resources,
      ...(condition === undefined ? {} : { Condition: condition }),
    })),
  });
}

/** The text of the policy of a role that a service of AWS takes on. */
export function assumableBy(service: string, actions: readonly string[] = ["sts:AssumeRole"]): string {
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: service }, Action: actions }],
  });
}
