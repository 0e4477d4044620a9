import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../../lib/deadline";
import { startAws, type Aws } from "../../aws";
import { Journal } from "./core/journal";
import { AwsOperations } from "./operations";
import { AwsSession } from "./session";
import { readSettings } from "./settings";

const subnetUrn = "urn:pulumi:dev::fleet::aws:ec2/subnet:Subnet::one";
const vpcUrn = "urn:pulumi:dev::fleet::aws:ec2/vpc:Vpc::one";
const volumeUrn = "urn:pulumi:dev::fleet::aws:ebs/volume:Volume::one";
let aws: Aws;
let notes: string;
const opened: AwsSession[] = [];

function openSession(more: Record<string, unknown> = {}): AwsSession {
  const services = ["ec2", "iam", "sts"];
  const endpoints = [Object.fromEntries(services.map((service) => [service, aws.endpoint]))];
  const settings = {
    region: aws.region,
    accessKey: "AKIAIOSFODNN7EXAMPLE",
    secretKey: "sandbox",
    endpoints,
    ...more,
  };
  const session = new AwsSession(readSettings(settings, {}));
  opened.push(session);
  return session;
}

function open(more: Record<string, unknown> = {}): AwsOperations {
  return new AwsOperations(openSession(more), new Journal(notes));
}

beforeAll(async () => {
  notes = mkdtempSync(join(tmpdir(), "fleetwright-journal-"));
  aws = await startAws();
});
afterEach(() => aws.faults.clear());
afterAll(async () => {
  await Promise.all(opened.map((session) => session.close()));
  await aws.stop();
  rmSync(notes, { recursive: true, force: true });
});

const count = (action: string): number =>
  aws.ledger.entries(0).filter((entry) => entry.action === action && entry.result === "ok").length;

it("goes on through throttling", async () => {
  const provider = open();
  aws.faults.add({ service: "ec2", effect: { kind: "throttle" }, times: 4 });
  const { id, state } = await provider.create(vpcUrn, { cidrBlock: "10.1.0.0/16" });
  expect(state.cidrBlock).toBe("10.1.0.0/16");
  await provider.delete(vpcUrn, id, state);
});

it("waits until what was made can be seen", async () => {
  const provider = open();
  aws.faults.add({ service: "ec2", action: "CreateVpc", effect: { kind: "unseen", calls: 3 }, times: 1 });
  const { id, state } = await provider.create(vpcUrn, { cidrBlock: "10.1.0.0/16", enableDnsHostnames: true });
  expect(state.enableDnsHostnames).toBe(true);
  await provider.delete(vpcUrn, id, state);
});

it("waits for a subnet that AWS made and does not know yet", async () => {
  const provider = open();
  const vpc = await provider.create(vpcUrn, { cidrBlock: "10.1.0.0/16" });
  aws.faults.add({ service: "ec2", action: "CreateSubnet", effect: { kind: "unseen", calls: 3 }, times: 1 });
  const subnet = await provider.create(subnetUrn, { vpcId: vpc.id, cidrBlock: "10.1.0.0/24" });
  await provider.delete(subnetUrn, subnet.id, subnet.state);
  await provider.delete(vpcUrn, vpc.id, vpc.state);
});

it("waits with a delete until what depends on it is gone", async () => {
  const provider = open();
  const vpc = await provider.create(vpcUrn, { cidrBlock: "10.1.0.0/16" });
  const subnet = await provider.create(subnetUrn, { vpcId: vpc.id, cidrBlock: "10.1.0.0/24" });
  const deleting = provider.delete(vpcUrn, vpc.id, vpc.state);
  const refused = (): boolean =>
    aws.ledger
      .entries(0)
      .some(({ action, result }) => action === "DeleteVpc" && result === "DependencyViolation");
  await waitFor("a refused delete", refused, { timeoutMs: 120_000, intervalMs: 20 });
  await provider.delete(subnetUrn, subnet.id, subnet.state);
  await deleting;
});

it("says what it waited for when the time that the program gives is over", async () => {
  const provider = open();
  const vpc = await provider.create(vpcUrn, { cidrBlock: "10.1.0.0/16" });
  const subnet = await provider.create(subnetUrn, { vpcId: vpc.id, cidrBlock: "10.1.0.0/24" });
  await expect(provider.delete(vpcUrn, vpc.id, vpc.state, { timeoutSeconds: 1 })).rejects.toThrow(
    /dependenc/i,
  );
  await provider.delete(subnetUrn, subnet.id, subnet.state);
  await provider.delete(vpcUrn, vpc.id, vpc.state);
});

it("tells the engine the id of what was made but could not be finished", async () => {
  const provider = open();
  aws.faults.add({
    service: "ec2",
    action: "ModifyVpcAttribute",
    effect: { kind: "error", code: "UnauthorizedOperation", status: 403 },
  });
  const failure: unknown = await provider
    .create(vpcUrn, { cidrBlock: "10.1.0.0/16", enableDnsHostnames: true })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ id: expect.stringMatching(/^vpc-/) as string });
  aws.faults.clear();
  await provider.delete(vpcUrn, String(Reflect.get(Object(failure), "id")), { region: aws.region });
});

describe("a creation whose end the engine did not see", () => {
  const inputs = { availabilityZone: "eu-central-1a", size: 1, finalSnapshot: false };

  it("is continued, not repeated", async () => {
    const before = count("CreateVolume");
    const { id } = await open().create(volumeUrn, inputs);
    // The first provider was killed before it could forget its note, and the engine before it could write its state.
    const again = await open().create(volumeUrn, inputs);
    expect(again.id).toBe(id);
    expect(count("CreateVolume")).toBe(before + 1);
  });

  it("is taken back when the program asks for something else by then", async () => {
    const first = await open().create(volumeUrn, { ...inputs, size: 2 });
    const second = await open().create(volumeUrn, { ...inputs, size: 3 });
    expect(second.id).not.toBe(first.id);
    expect(await open().read(volumeUrn, first.id, first.state, inputs)).toBeUndefined();
    await open().delete(volumeUrn, second.id, second.state);
  });
});

it("names types and functions that it does not know", async () => {
  const provider = open();
  const urn = "urn:pulumi:dev::fleet::aws:sqs/queue:Queue::one";
  expect(() => provider.check({ urn, olds: {}, news: {}, seed: new Uint8Array() })).toThrow(
    /The resource type aws:sqs\/queue:Queue .*pulumi plugin install resource aws 7.48.0/,
  );
  await expect(provider.invoke("aws:sqs/getQueue:getQueue", {})).rejects.toThrow(
    /The function aws:sqs\/getQueue:getQueue/,
  );
  await expect(provider.invoke("aws:ec2/getAmi:getAmi", { uefiData: "x" })).rejects.toThrow(
    /The argument uefiData of aws:ec2\/getAmi:getAmi/,
  );
});

it("refuses an account that the settings do not allow", async () => {
  await expect(openSession({ allowedAccountIds: [aws.account] }).checkAccount()).resolves.toBeUndefined();
  await expect(openSession({ allowedAccountIds: ["000000000000"] }).checkAccount()).rejects.toThrow(
    new RegExp(aws.account),
  );
});

it("says what is missing when there is no region", async () => {
  await expect(open({ region: "" }).create(vpcUrn, { cidrBlock: "10.1.0.0/16" })).rejects.toThrow(
    /pulumi config set aws:region/,
  );
});
