import {
  CreateVolumeCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  EC2Client,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import { DescribeParametersCommand } from "@aws-sdk/client-ssm";
import { CREDENTIALS } from "./variables";
import { randomFrom } from "./faults";
import { IMAGE, openAwsFixture, type AwsFixture } from "./testing/aws-fixture";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture();
});
afterAll(async () => cloud.stop());
afterEach(() => cloud.aws.faults.clear());

const vpcs = (): Promise<unknown> => cloud.ec2.send(new DescribeVpcsCommand({}));

test("a throttled call says so in its service's words, and the SDK's retries get over it", async () => {
  cloud.aws.faults.add({ effect: { kind: "throttle" }, times: 2 });
  await expect(vpcs()).rejects.toMatchObject({ name: "RequestLimitExceeded" });
  await expect(cloud.ssm.send(new DescribeParametersCommand({}))).rejects.toMatchObject({
    name: "ThrottlingException",
  });
  await vpcs();
  cloud.aws.faults.add({ service: "ec2", effect: { kind: "throttle" }, times: 2 });
  const settings = { endpoint: cloud.aws.endpoint, region: cloud.aws.region, credentials: CREDENTIALS };
  const patient = new EC2Client({ ...settings, maxAttempts: 4 });
  const before = cloud.aws.ledger.entries().length;
  await patient.send(new DescribeVpcsCommand({}));
  patient.destroy();
  const calls = cloud.aws.ledger.entries().slice(before);
  expect(calls.map(({ result }) => result)).toEqual(["RequestLimitExceeded", "RequestLimitExceeded", "ok"]);
});

test("without capacity no instance is run, and everything else works", async () => {
  cloud.aws.faults.add({ effect: { kind: "capacity" }, times: 1 });
  const run = { ImageId: IMAGE, MinCount: 1, MaxCount: 1, SubnetId: cloud.subnets[0] };
  await vpcs();
  await expect(cloud.ec2.send(new RunInstancesCommand(run))).rejects.toMatchObject({
    name: "InsufficientInstanceCapacity",
  });
  expect(await cloud.run()).toMatch(/^i-/);
});

test("a late answer is late", async () => {
  cloud.aws.faults.add({
    service: "ec2",
    action: "DescribeVpcs",
    effect: { kind: "delay", ms: 300 },
    times: 1,
  });
  const began = performance.now();
  await vpcs();
  expect(performance.now() - began).toBeGreaterThanOrEqual(299);
});

test("what was made cannot be found for some calls", async () => {
  cloud.aws.faults.add({ action: "CreateVolume", effect: { kind: "unseen", calls: 2 }, times: 1 });
  const made = await cloud.ec2.send(
    new CreateVolumeCommand({ AvailabilityZone: `${cloud.aws.region}a`, Size: 1 }),
  );
  const read = (): Promise<unknown> =>
    cloud.ec2.send(new DescribeVolumesCommand({ VolumeIds: [made.VolumeId ?? ""] }));
  await expect(read()).rejects.toMatchObject({ name: "InvalidVolume.NotFound" });
  await expect(read()).rejects.toMatchObject({ name: "InvalidVolume.NotFound" });
  await expect(read()).resolves.toMatchObject({ Volumes: [{ VolumeId: made.VolumeId }] });
});

test("a share of the calls fails, and the seed says which", async () => {
  const failing = async (seed: number): Promise<string> => {
    const effect = { kind: "error" as const, code: "InternalError", status: 500 };
    const id = cloud.aws.faults.add({ action: "DescribeVpcs", effect, rate: 0.4, seed });
    let pattern = "";
    for (let call = 0; call < 20; call++) {
      pattern += await vpcs().then(
        () => ".",
        () => "x",
      );
    }
    cloud.aws.faults.clear(id);
    return pattern;
  };
  const first = await failing(7);
  expect(first).toMatch(/x/);
  expect(first).toMatch(/\./);
  expect(await failing(7)).toBe(first);
  expect(await failing(8)).not.toBe(first);
});

test("faults can be set over HTTP, and a wrong one is explained", async () => {
  const url = `${cloud.aws.endpoint}/_fleetwright/faults`;
  const post = (body: unknown): Promise<Response> =>
    fetch(url, { method: "POST", body: JSON.stringify(body) });
  expect((await post({ action: "DescribeVpcs", effect: { kind: "throttle" } })).status).toBe(200);
  await expect(vpcs()).rejects.toMatchObject({ name: "RequestLimitExceeded" });
  await fetch(url, { method: "DELETE" });
  await vpcs();
  const wrong = await post({ effect: { kind: "explode" } });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining("effect")]);
});

test("random numbers follow from their seed and lie between 0 and 1", () => {
  const numbers = Array.from({ length: 1000 }, randomFrom(42));
  expect(numbers).toEqual(Array.from({ length: 1000 }, randomFrom(42)));
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((sum, value) => sum + value, 0) / 1000).toBeCloseTo(0.5, 1);
});
