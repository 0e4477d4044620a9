// An instance that has nothing to do with the cluster in whose network it is.
import { CreateSecurityGroupCommand, DescribeSubnetsCommand, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { waitFor } from "../../lib/deadline";
import { clientsFor } from "../../sandbox/aws/clients";
import type { ClusterCloud } from "./cluster-cloud";

/** A machine by its id and private address. */
export interface Machine {
  id: string;
  ip: string;
}

/** Runs one in the subnet with a range, in a security group of its own that lets nothing in. */
export async function launchAlone(
  { cloud, machineHost }: Pick<ClusterCloud, "cloud" | "machineHost">,
  CidrBlock: string,
  GroupName: string,
): Promise<Machine> {
  const aws = clientsFor(cloud.aws.endpoint, cloud.aws.region);
  try {
    const { Subnets = [] } = await aws.ec2.send(new DescribeSubnetsCommand({}));
    const subnet = Subnets.find((one) => one.CidrBlock === CidrBlock);
    const group = { GroupName, Description: "outside of the cluster", VpcId: subnet?.VpcId };
    const { GroupId = "" } = await aws.ec2.send(new CreateSecurityGroupCommand(group));
    const { Instances = [] } = await aws.ec2.send(
      new RunInstancesCommand({
        ImageId: "ami-0f1ee75a4db0deb12",
        InstanceType: "t3.small",
        ...{ MinCount: 1, MaxCount: 1 },
        ...{ SubnetId: subnet?.SubnetId, SecurityGroupIds: [GroupId] },
      }),
    );
    const [{ InstanceId: id = "", PrivateIpAddress: ip = "" } = {}] = Instances;
    const runs = async (): Promise<boolean> =>
      (await machineHost.list()).some((one) => one.id === id && one.state === "running");
    await waitFor(`the machine of ${id}`, runs, { timeoutMs: 120_000 });
    return { id, ip };
  } finally {
    aws.close();
  }
}
