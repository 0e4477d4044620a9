import {
  CreateNatGatewayCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  DescribeAvailabilityZonesCommand,
  DescribeSubnetsCommand,
  ModifyAvailabilityZoneGroupCommand,
  RunInstancesCommand,
  type DescribeAvailabilityZonesCommandInput,
  type _InstanceType,
} from "@aws-sdk/client-ec2";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { CreateLoadBalancerCommand } from "@aws-sdk/client-elastic-load-balancing-v2";
import { IMAGE, openAwsFixture, type AwsFixture } from "./testing/aws-fixture";

const HAMBURG = "eu-central-1-ham-1a";
const WARSAW = "eu-central-1-waw-1a";

let cloud: AwsFixture;
let local = "";
beforeAll(async () => {
  cloud = await openAwsFixture();
  local = await subnet(3, HAMBURG);
});
afterAll(async () => cloud.stop());

async function subnet(number: number, AvailabilityZone: string): Promise<string> {
  const input = { VpcId: cloud.vpcId, CidrBlock: `10.0.${number}.0/24`, AvailabilityZone };
  return (await cloud.ec2.send(new CreateSubnetCommand(input))).Subnet?.SubnetId ?? "";
}

async function zones(input: DescribeAvailabilityZonesCommandInput = {}): Promise<string[]> {
  const { AvailabilityZones } = await cloud.ec2.send(new DescribeAvailabilityZonesCommand(input));
  return (AvailabilityZones ?? []).map(({ ZoneName }) => ZoneName ?? "");
}

const OWN = ["eu-central-1a", "eu-central-1b", "eu-central-1c"];

test("a Local Zone that the account opted in to is listed, before the region's own zones", async () => {
  expect(await zones()).toEqual([HAMBURG, ...OWN]);
  const { AvailabilityZones } = await cloud.ec2.send(new DescribeAvailabilityZonesCommand({}));
  expect(AvailabilityZones?.[0]).toMatchObject({
    ZoneName: HAMBURG,
    ZoneId: "euc1-ham1-az1",
    ZoneType: "local-zone",
    GroupName: "eu-central-1-ham-1",
    NetworkBorderGroup: "eu-central-1-ham-1",
    OptInStatus: "opted-in",
    ParentZoneName: "eu-central-1c",
    State: "available",
  });
  expect(AvailabilityZones?.[1]).toMatchObject({
    ZoneType: "availability-zone",
    OptInStatus: "opt-in-not-required",
    NetworkBorderGroup: "eu-central-1",
  });
});

test("one that it did not opt in to is listed only among all", async () => {
  expect(await zones({ AllAvailabilityZones: true })).toEqual([HAMBURG, WARSAW, ...OWN]);
  await expect(zones({ ZoneNames: [WARSAW] })).rejects.toMatchObject({
    name: "InvalidParameterValue",
    message: `Invalid availability zone: [${WARSAW}]`,
  });
});

test.each([
  ["opt-in-status", ["opt-in-not-required"], OWN],
  ["opt-in-status", ["not-opted-in"], [WARSAW]],
  ["zone-type", ["local-zone"], [HAMBURG, WARSAW]],
  ["zone-type", ["availability-zone"], OWN],
  ["group-name", ["eu-central-1-waw-1"], [WARSAW]],
  ["zone-name", ["eu-central-1b", HAMBURG], [HAMBURG, "eu-central-1b"]],
])("the filter %s %j finds %j", async (Name, Values, expected) => {
  expect(await zones({ AllAvailabilityZones: true, Filters: [{ Name, Values }] })).toEqual(expected);
});

test("a subnet without a zone is never in a Local Zone", async () => {
  const made = await Promise.all(
    [20, 21, 22, 23, 24, 25].map((number) =>
      cloud.ec2.send(new CreateSubnetCommand({ VpcId: cloud.vpcId, CidrBlock: `10.0.${number}.0/24` })),
    ),
  );
  for (const { Subnet } of made) expect(OWN).toContain(Subnet?.AvailabilityZone);
  const all = await cloud.ec2.send(
    new DescribeSubnetsCommand({ Filters: [{ Name: "default-for-az", Values: ["true"] }] }),
  );
  for (const { AvailabilityZone } of all.Subnets ?? []) expect(AvailabilityZone).not.toBe(WARSAW);
});

test("a Local Zone has no NAT gateway, no network load balancer, no control plane of EKS", async () => {
  await expect(
    cloud.ec2.send(new CreateNatGatewayCommand({ SubnetId: local, ConnectivityType: "private" })),
  ).rejects.toMatchObject({ name: "NotAvailableInZone" });
  const balancer = (Type: "network" | "application", Name: string): Promise<unknown> =>
    cloud.elb.send(
      new CreateLoadBalancerCommand({ Name, Type, Scheme: "internal", Subnets: [cloud.subnets[0], local] }),
    );
  await expect(balancer("network", "far")).rejects.toMatchObject({
    name: "ValidationError",
    message: `Load balancers of type 'network' are not supported in the Local Zone '${HAMBURG}' of subnet '${local}'`,
  });
  await balancer("application", "near");
  await expect(
    cloud.eks.send(
      new CreateClusterCommand({
        name: "far",
        roleArn: "arn:aws:iam::123456789012:role/cluster",
        resourcesVpcConfig: { subnetIds: [cloud.subnets[0], local] },
      }),
    ),
  ).rejects.toMatchObject({ name: "UnsupportedAvailabilityZoneException" });
});

test("a Local Zone has only some types of machines", async () => {
  const run = (InstanceType: _InstanceType): Promise<unknown> =>
    cloud.ec2.send(
      new RunInstancesCommand({ ImageId: IMAGE, InstanceType, MinCount: 1, MaxCount: 1, SubnetId: local }),
    );
  await run("t3.small");
  await expect(run("m7i.large")).rejects.toMatchObject({ name: "Unsupported" });
});

test("a zone is used after the account opted in to it, and there is no way back", async () => {
  const volume = (): Promise<unknown> =>
    cloud.ec2.send(new CreateVolumeCommand({ AvailabilityZone: WARSAW, Size: 1 }));
  await expect(subnet(4, WARSAW)).rejects.toMatchObject({
    name: "InvalidParameterValue",
    message: expect.stringMatching(/can currently only be created in/) as string,
  });
  await expect(volume()).rejects.toMatchObject({ name: "InvalidZone.NotFound" });
  const change = (OptInStatus: "opted-in" | "not-opted-in"): Promise<unknown> =>
    cloud.ec2.send(new ModifyAvailabilityZoneGroupCommand({ GroupName: "eu-central-1-waw-1", OptInStatus }));
  await change("opted-in");
  expect(await zones()).toEqual([HAMBURG, WARSAW, ...OWN]);
  await subnet(4, WARSAW);
  await volume();
  await expect(change("not-opted-in")).rejects.toMatchObject({ name: "OptInStatusNotSupported" });
});
