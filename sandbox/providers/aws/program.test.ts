import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateVpcCommand,
  DeleteVpcCommand,
  EC2Client,
  ModifyVpcAttributeCommand,
} from "@aws-sdk/client-ec2";
import { Engine, eventually } from "../../../test/harness/engine";
import { startAws, type Aws } from "../../aws";
import { installProviders } from "../install";
import { isRecord, isList } from "./core/value";

const TOKEN = "not-for-everyones-eyes";
let aws: Aws;
let engine: Engine;
/** Without the SDK's own variables: everything has to come from the stack's settings. */
const environment = { AWS_EC2_METADATA_DISABLED: "true", AWS_ENDPOINT_URL: undefined, AWS_REGION: undefined };

beforeAll(async () => {
  [aws, engine] = await Promise.all([startAws(), Engine.open()]);
  await installProviders(engine.home, ["aws"]);
});

afterAll(async () => {
  await engine.close();
  await aws.stop();
});

/** A program with a stack whose settings point at the sandbox's AWS, as a person would write them. */
async function open(name: string, config: Record<string, string> = {}, stack = "dev"): Promise<string> {
  const program = engine.program(name, { as: `${name}-${stack}` });
  await engine.expect(["stack", "init", stack], program, environment);
  const services = [
    "autoscaling",
    "cloudwatchlogs",
    "ec2",
    "eks",
    "elbv2",
    "iam",
    "kms",
    "route53",
    "s3",
    "ssm",
    "sts",
  ];
  const settings = {
    "aws:region": aws.region,
    "aws:accessKey": "AKIAIOSFODNN7EXAMPLE",
    "aws:secretKey": "sandbox",
    "aws:skipCredentialsValidation": "true",
    "aws:skipMetadataApiCheck": "true",
    "aws:s3UsePathStyle": "true",
    "aws:endpoints": JSON.stringify([Object.fromEntries(services.map((service) => [service, aws.endpoint]))]),
    "aws:defaultTags": JSON.stringify({ tags: { fleet: "sandbox" } }),
    ...config,
  };
  const lines = Object.entries(settings).map(
    ([key, value]) =>
      `  ${key}: ${value.startsWith("{") || value.startsWith("[") ? value : JSON.stringify(value)}`,
  );
  const file = join(program, `Pulumi.${stack}.yaml`);
  const salt = await engine
    .expect(["config", "set", "--secret", "token", TOKEN], program, environment)
    .then(async () => (await import("node:fs/promises")).readFile(file, "utf8"));
  writeFileSync(file, salt.replace("config:\n", `config:\n${lines.join("\n")}\n`));
  return program;
}

async function changes(args: readonly string[], program: string): Promise<Record<string, number>> {
  const text = await engine.expect([...args, "--json"], program, environment);
  const summary = text.split("\n").flatMap((line) => {
    const event: unknown = line.startsWith("{") ? JSON.parse(line) : undefined;
    return isRecord(event) && isRecord(event.summaryEvent) ? [event.summaryEvent.resourceChanges] : [];
  });
  return (summary.at(-1) ?? {}) as Record<string, number>;
}

interface Server {
  id: string;
  address: string;
  dns: string;
  volume: string;
}

async function outputs(program: string): Promise<Record<string, unknown> & { servers: Server[] }> {
  return JSON.parse(await engine.expect(["stack", "output", "--json"], program, environment)) as Record<
    string,
    unknown
  > & { servers: Server[] };
}

describe("three machines with fixed addresses behind a load balancer", () => {
  let program: string;
  let before: Server[];

  it("come up", async () => {
    program = await open("aws-fleet");
    const summary = await changes(["up", "--yes", "--skip-preview"], program);
    expect(Object.keys(summary)).toEqual(["create"]);
    const result = await outputs(program);
    before = result.servers;
    expect(result).toMatchObject({ account: aws.account, region: aws.region, partition: "aws" });
    expect(before.map(({ address }) => address)).toEqual(["10.0.0.10", "10.0.1.10", "10.0.2.10"]);
    expect(before[0]?.dns).toMatch(/^ip-10-0-0-10\./);
    const state = await aws.state();
    expect(
      state.volumes.map(({ attachments }) => (isList(attachments) ? attachments.length : 1)),
    ).not.toContain(0);
  });

  it("show no change in a second update", async () => {
    const summary = await changes(["up", "--yes", "--skip-preview"], program);
    expect(Object.keys(summary)).toEqual(["same"]);
  });

  it("show no change in a refresh", async () => {
    const summary = await changes(["refresh", "--yes", "--skip-preview"], program);
    expect(Object.keys(summary)).toEqual(["same"]);
  });

  it("keep secrets secret in the state", async () => {
    const state = await engine.expect(["stack", "export"], program, environment);
    expect(state).not.toContain(TOKEN);
  });

  it("keep volume and address when one is replaced", async () => {
    await engine.expect(["config", "set", "generation", "two"], program, environment);
    const summary = await changes(["up", "--yes", "--skip-preview"], program);
    expect(summary.delete ?? 0).toBe(0);
    const { servers } = await outputs(program);
    expect(servers.map(({ address, volume }) => ({ address, volume }))).toEqual(
      before.map(({ address, volume }) => ({ address, volume })),
    );
    expect(servers.map(({ id }, index) => id === before[index]?.id)).toEqual([true, false, true]);
  });

  it("leave nothing when they are destroyed", async () => {
    await engine.expect(["destroy", "--yes", "--skip-preview"], program, environment);
    expect(await aws.leftovers()).toEqual([]);
  });
});

it("goes on without an orphan after the engine was killed in the middle", async () => {
  const program = await open("aws-fleet", {}, "killed");
  const start = aws.ledger.entries(0).length;
  const started = (): boolean | undefined =>
    aws.ledger
      .entries(0)
      .slice(start)
      .some(({ action }) => action === "RunInstances") || undefined;
  const running = engine.start(["up", "--yes", "--skip-preview"], program, environment);
  await eventually("an instance is being made", started, 120_000);
  running.signal("SIGKILL");
  await running.outcome;
  await eventually(
    "the plugin has ended by itself",
    () => !engine.processes().some(({ command }) => command.includes("aws")) || undefined,
  );
  await engine.expect(["cancel", "--yes"], program, environment);
  await engine.expect(["up", "--yes", "--skip-preview"], program, environment);
  const made = aws.ledger
    .entries(0)
    .slice(start)
    .filter(({ action, result }) => action === "RunInstances" && result === "ok");
  expect(made).toHaveLength(3);
  await engine.expect(["destroy", "--yes", "--skip-preview"], program, environment);
  expect(await aws.leftovers()).toEqual([]);
});

it("takes over a VPC that exists", async () => {
  const ec2 = new EC2Client({
    endpoint: aws.endpoint,
    region: aws.region,
    credentials: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "sandbox" },
  });
  const Tags = [
    { Key: "Name", Value: "older" },
    { Key: "fleet", Value: "sandbox" },
  ];
  const { Vpc } = await ec2.send(
    new CreateVpcCommand({ CidrBlock: "10.20.0.0/16", TagSpecifications: [{ ResourceType: "vpc", Tags }] }),
  );
  const id = Vpc?.VpcId ?? "";
  await ec2.send(new ModifyVpcAttributeCommand({ VpcId: id, EnableDnsHostnames: { Value: true } }));
  const program = await open("aws-import", { "aws-import:vpc": id });
  expect(await changes(["up", "--yes", "--skip-preview"], program)).toEqual({ create: 1, import: 1 });
  expect((await outputs(program)).id).toBe(id);
  expect(await changes(["up", "--yes", "--skip-preview"], program)).toEqual({ same: 2 });
  await ec2.send(new DeleteVpcCommand({ VpcId: id }));
  expect(await changes(["refresh", "--yes", "--skip-preview"], program)).toMatchObject({ delete: 1 });
  ec2.destroy();
});

it("names a property that it does not know, and the way to the official provider", async () => {
  const program = await open("aws-unknown");
  const { code, stdout } = await engine.pulumi(["preview"], program, environment);
  expect(code).not.toBe(0);
  expect(stdout).toContain(
    "The property ipv4IpamPoolId of aws:ec2/vpc:Vpc is not part of the sandbox's aws provider",
  );
  expect(stdout).toContain("pulumi plugin install resource aws 7.48.0");
});
