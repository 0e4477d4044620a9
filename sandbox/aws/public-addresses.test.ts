import { AllocateAddressCommand, DescribeInstancesCommand, ReleaseAddressCommand } from "@aws-sdk/client-ec2";
import { openAwsFixture, type AwsFixture } from "./testing/aws-fixture";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture();
});
afterAll(async () => cloud.stop());

const allocate = async (): Promise<{ id: string; ip: string }> => {
  const { AllocationId = "", PublicIp = "" } = await cloud.ec2.send(
    new AllocateAddressCommand({ Domain: "vpc" }),
  );
  return { id: AllocationId, ip: PublicIp };
};
const PUBLIC = /^198\.51\.100\.\d+$/;

test("elastic addresses are of a range that packets can be sent to, each given once", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, allocate));
  for (const { ip } of all) expect(ip).toMatch(PUBLIC);
  expect(new Set(all.map(({ ip }) => ip)).size).toBe(all.length);
  for (const { id } of all) await cloud.ec2.send(new ReleaseAddressCommand({ AllocationId: id }));
});

test("an instance that gets a public address at launch gets one of them", async () => {
  const [SubnetId] = cloud.subnets;
  const network = { DeviceIndex: 0, SubnetId, AssociatePublicIpAddress: true };
  const id = await cloud.run({ NetworkInterfaces: [network] });
  const found = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  expect(found.Reservations?.[0]?.Instances?.[0]?.PublicIpAddress).toMatch(PUBLIC);
});

test("when none is left, AWS says so", async () => {
  const all: string[] = [];
  const exhaust = async (): Promise<void> => {
    while (all.length < 300) all.push((await allocate()).id);
  };
  await expect(exhaust()).rejects.toMatchObject({ name: "InsufficientAddressCapacity" });
  expect(all.length).toBeGreaterThan(200);
  await cloud.ec2.send(new ReleaseAddressCommand({ AllocationId: all[0] }));
  expect((await allocate()).ip).toMatch(PUBLIC);
});
