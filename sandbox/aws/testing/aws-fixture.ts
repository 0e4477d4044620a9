import {
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from "@aws-sdk/client-ec2";
import { waitFor } from "../../../lib/deadline";
import { startAws, type Aws, type AwsOptions } from "../aws";
import { clientsFor, type Clients } from "../clients";

/** The image that every instance of the tests runs. */
export const IMAGE = "ami-0f1ee75a4db0deb12";

/** For tests: a running AWS API, clients of it, and a VPC with a subnet in each of two zones. */
export interface AwsFixture extends Clients {
  aws: Aws;
  vpcId: string;
  /** In zone a and zone b; their ranges are 10.0.1.0/24 and 10.0.2.0/24. */
  subnets: [string, string];
  /** Runs an instance and waits until it does. */
  run: (input?: Partial<RunInstancesCommandInput>) => Promise<string>;
  /** Makes a volume in zone a or another and waits until it is available. */
  volume: (zone?: string) => Promise<string>;
  stop: () => Promise<void>;
}

/** Starts an AWS API for tests. */
export async function openAwsFixture(options: AwsOptions = {}): Promise<AwsFixture> {
  const aws = await startAws(options);
  const clients = clientsFor(aws.endpoint, aws.region);
  const { ec2 } = clients;
  const vpc = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
  const vpcId = vpc.Vpc?.VpcId ?? "";
  const subnet = async (number: number, zone: string): Promise<string> => {
    const input = {
      VpcId: vpcId,
      CidrBlock: `10.0.${number}.0/24`,
      AvailabilityZone: `${aws.region}${zone}`,
    };
    return (await ec2.send(new CreateSubnetCommand(input))).Subnet?.SubnetId ?? "";
  };
  const subnets: [string, string] = [await subnet(1, "a"), await subnet(2, "b")];
  return {
    ...clients,
    aws,
    vpcId,
    subnets,
    async run(input = {}) {
      const network = input.NetworkInterfaces === undefined ? { SubnetId: subnets[0] } : {};
      const common = { ImageId: IMAGE, InstanceType: "t3.small" as const, MinCount: 1, MaxCount: 1 };
      const answer = await ec2.send(new RunInstancesCommand({ ...common, ...network, ...input }));
      const id = answer.Instances?.[0]?.InstanceId ?? "";
      await settled(`instance ${id} to run`, "running", async () => {
        const found = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
        return found.Reservations?.[0]?.Instances?.[0]?.State?.Name;
      });
      return id;
    },
    async volume(zone = "a") {
      const input = { AvailabilityZone: `${aws.region}${zone}`, Size: 1, Encrypted: true };
      const id = (await ec2.send(new CreateVolumeCommand(input))).VolumeId ?? "";
      await settled(`volume ${id} to be available`, "available", async () => {
        return (await ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] }))).Volumes?.[0]?.State;
      });
      return id;
    },
    async stop() {
      clients.close();
      await aws.stop();
    },
  };
}

/** Waits until something is in a state. */
export async function settled(
  what: string,
  wanted: string,
  read: () => Promise<string | undefined>,
): Promise<void> {
  await waitFor(
    what,
    async () => {
      const found = await read();
      return found === wanted ? true : `it is ${found ?? "unknown"}`;
    },
    { timeoutMs: 120_000, intervalMs: 30 },
  );
}
