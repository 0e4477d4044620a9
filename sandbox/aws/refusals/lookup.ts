import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  type Instance,
  type NetworkInterface,
  type Subnet,
  type Volume,
} from "@aws-sdk/client-ec2";
import type { RuleContext } from "../rule";

// moto itself says that an id is unknown, and says it as AWS does: a rule then has nothing to add.
async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined);
}

/** An instance, if there is one with this id. */
export async function instance({ aws }: RuleContext, id: string): Promise<Instance | undefined> {
  const answer = await orNothing(aws.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] })));
  return answer?.Reservations?.[0]?.Instances?.[0];
}

/** A volume, if there is one with this id. */
export async function volume({ aws }: RuleContext, id: string): Promise<Volume | undefined> {
  const answer = await orNothing(aws.ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] })));
  return answer?.Volumes?.[0];
}

/** A subnet, if there is one with this id. */
export async function subnet({ aws }: RuleContext, id: string): Promise<Subnet | undefined> {
  const answer = await orNothing(aws.ec2.send(new DescribeSubnetsCommand({ SubnetIds: [id] })));
  return answer?.Subnets?.[0];
}

/** Network interfaces, all or those of a subnet, a VPC or a security group. */
export async function interfaces(
  { aws }: RuleContext,
  filter?: "subnet-id" | "vpc-id" | "group-id" | "network-interface-id",
  value = "",
): Promise<NetworkInterface[]> {
  const answer = await orNothing(
    aws.ec2.send(
      new DescribeNetworkInterfacesCommand(
        filter === undefined ? {} : { Filters: [{ Name: filter, Values: [value] }] },
      ),
    ),
  );
  return answer?.NetworkInterfaces ?? [];
}
