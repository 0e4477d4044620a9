import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { waitFor } from "../../../lib/deadline";
import { startAws, type Aws } from "../../aws";
import { receive, send, type Values } from "../shell/wire";
import { ProviderClient } from "../testing/provider-client";
import { awsProvider } from "./provider";

const SECRET = "not-for-everyones-eyes";
const KEY = "the-key-of-the-account";
const PARAMETER = "urn:pulumi:dev::fleet::aws:ssm/parameter:Parameter::one";
const VOLUME = "urn:pulumi:dev::fleet::aws:ebs/volume:Volume::one";
const VPC = "urn:pulumi:dev::fleet::aws:ec2/vpc:Vpc::one";

const home = mkdtempSync(join(tmpdir(), "fleetwright-secrets-"));
const struct = (values: Values, secrets: string[] = []) =>
  Struct.fromJavaScript(send(values, new Set(secrets)));
const opened = (value: Struct | undefined) => receive(value?.toJavaScript() ?? {});
let aws: Aws;
let client: ProviderClient;

beforeAll(async () => {
  aws = await startAws({ timing: { instance: 0 } });
  client = await ProviderClient.open(awsProvider("7.48.0", { PULUMI_HOME: home }));
  const services = ["ec2", "ssm", "sts"];
  const settings = {
    region: aws.region,
    accessKey: "AKIAIOSFODNN7EXAMPLE",
    secretKey: KEY,
    profile: "unused",
    endpoints: [Object.fromEntries(services.map((service) => [service, aws.endpoint]))],
  };
  await client.ask<proto.ConfigureResponse>((engine, done) =>
    engine.configure(configuration(settings, ["secretKey"]), done),
  );
});
afterEach(() => aws.faults.clear());
afterAll(async () => {
  await client.close();
  await aws.stop();
  rmSync(home, { recursive: true, force: true });
});

const configuration = (settings: Values, secrets: string[]) =>
  new proto.ConfigureRequest().setArgs(struct(settings, secrets));

const create = (urn: string, inputs: Values, secrets: string[] = []) =>
  client.ask<proto.CreateResponse>((engine, done) =>
    engine.create(new proto.CreateRequest().setUrn(urn).setProperties(struct(inputs, secrets)), done),
  );

it("logs to the engine", () => {
  expect(client.lines).toContainEqual(expect.stringContaining("does not use aws:profile"));
});

it("keeps a secret input secret in the checked inputs and in the state", async () => {
  const news = struct({ type: "SecureString", name: "one", value: SECRET }, ["value"]);
  const checked = await client.ask<proto.CheckResponse>((engine, done) =>
    engine.check(new proto.CheckRequest().setUrn(PARAMETER).setNews(news), done),
  );
  expect(checked.getFailuresList()).toEqual([]);
  expect(opened(checked.getInputs()).secrets).toContain("value");
  const created = await create(PARAMETER, { type: "SecureString", name: "one", value: SECRET }, ["value"]);
  const { values, secrets } = opened(created.getProperties());
  expect(values.value).toBe(SECRET);
  expect(secrets).toContain("value");
});

it("shows no secret in a check failure", async () => {
  const news = struct({ type: SECRET, name: "two", value: "x" }, ["type"]);
  const checked = await client.ask<proto.CheckResponse>((engine, done) =>
    engine.check(new proto.CheckRequest().setUrn(PARAMETER).setNews(news), done),
  );
  const reasons = checked.getFailuresList().map((failure) => failure.getReason());
  expect(reasons).toEqual([expect.stringContaining("[secret]")]);
  expect(reasons.join()).not.toContain(SECRET);
});

it("shows no secret of the inputs or the settings in an error that AWS answers with", async () => {
  const encoded = Buffer.from(SECRET).toString("base64");
  const message = `cannot store ${SECRET} (${encoded}) as ${KEY}`;
  const effect = { kind: "error" as const, code: "ValidationException", status: 400, message };
  aws.faults.add({ service: "ssm", action: "PutParameter", effect });
  const inputs = { type: "SecureString", name: "three", value: SECRET };
  await expect(create(`${PARAMETER}-three`, inputs, ["value"])).rejects.toThrow(
    "ValidationException: cannot store [secret] ([secret]) as [secret]",
  );
});

it("reports what was made but not finished with its id, secrets marked, and without a secret in the message", async () => {
  const effect = { kind: "error" as const, code: "Denied", status: 403, message: `no ${SECRET} here` };
  aws.faults.add({ service: "ec2", action: "ModifyVpcAttribute", effect });
  const inputs = { cidrBlock: "10.1.0.0/16", enableDnsHostnames: true, tags: { token: SECRET } };
  const failure = await create(VPC, inputs, ["tags"]).catch((error: unknown) => error);
  expect(String(failure)).toContain("Denied: no [secret] here");
  expect(client.unfinished(failure)).toMatchObject({
    id: expect.stringMatching(/^vpc-/) as string,
    state: { secrets: new Set(["tags"]) },
  });
});

it("shows no secret in a log line", async () => {
  // The volume stays on its way until the line is there.
  await aws.setTiming({ volume: 3_600_000 });
  const inputs = { availabilityZone: `${aws.region}a`, size: 1, tags: { state: "available" } };
  const creating = create(VOLUME, inputs, ["tags"]);
  const isShown = (): boolean => client.lines.some((line) => /^waiting until volume .* is/.test(line));
  await waitFor("the log line", isShown, { timeoutMs: 120_000, intervalMs: 20 });
  await aws.setTiming({ volume: 0 });
  const created = await creating;
  expect(client.lines).toContainEqual(`waiting until volume ${created.getId()} is [secret]`);
});
