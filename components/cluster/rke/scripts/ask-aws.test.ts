import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { SignatureV4 } from "@smithy/signature-v4";
import { startAws, type Aws } from "../../../../sandbox/aws";
import { ASK_AWS } from "./ask-aws";

jest.setTimeout(120_000);

const CREDENTIALS = { AccessKeyId: "ASIAEXAMPLE", SecretAccessKey: "example-key", Token: "session//token==" };
let folder: string;
let metadata: Server;
let metadataUrl: string;
const asked: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetwright-parameter-"));
  writeFileSync(join(folder, "ask.py"), ASK_AWS);
  metadata = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    const session = request.headers["x-aws-ec2-metadata-token"];
    if (request.method === "PUT") response.end("session");
    else if (session !== "session") response.writeHead(401).end();
    else if (request.url?.endsWith("/security-credentials/") === true) response.end("agents\n");
    else if (request.url?.endsWith("/target-lifecycle-state") === true) response.end("InService");
    else if (request.url?.endsWith("/placement/availability-zone") === true) response.end("eu-central-1b");
    else response.end(JSON.stringify(CREDENTIALS));
  });
  metadataUrl = await listen(metadata);
});
afterAll(() => {
  metadata.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const read = (endpoint: string, name: string): ReturnType<typeof ask> =>
  ask("parameter", "eu-central-1", endpoint, name);

async function ask(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn("python3", [join(folder, "ask.py"), ...args], {
    env: { PATH: process.env.PATH, METADATA_URL: metadataUrl },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

describe("the program that asks AWS", () => {
  let aws: Aws;
  beforeAll(async () => {
    aws = await startAws();
  });
  afterAll(() => aws.stop());

  const client = (): SSMClient =>
    new SSMClient({
      endpoint: aws.endpoint,
      region: aws.region,
      credentials: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "sandbox" },
    });

  it("reads a secret value with the instance's role, by way of a session", async () => {
    const value = "v1.35.7+rke2r1 url\n0600 /etc/x aGk=\n";
    await client().send(
      new PutParameterCommand({ Name: "/fleetwright/a", Type: "SecureString", Value: value }),
    );
    expect(await read(aws.endpoint, "/fleetwright/a")).toEqual({ code: 0, out: value, err: "" });
    expect(asked.slice(0, 2)).toEqual([
      "PUT /latest/api/token",
      "GET /latest/meta-data/iam/security-credentials/",
    ]);
  });

  it("reads what the auto scaling group wants of the instance", async () => {
    expect(await ask("lifecycle-state")).toEqual({ code: 0, out: "InService", err: "" });
  });

  it("reads in which zone the instance is", async () => {
    expect(await ask("zone")).toEqual({ code: 0, out: "eu-central-1b", err: "" });
  });

  it("takes an instance that the group knows nothing of for an error", async () => {
    const { code, err } = await ask("go-on", aws.region, aws.endpoint, "group", "joined", "i-0a");
    expect([code, err]).toEqual([1, expect.stringMatching(/answered 400: .*No managed instance found/s)]);
  });

  it("says what it asked when there is no such parameter", async () => {
    const { code, err } = await read(aws.endpoint, "/fleetwright/none");
    expect(code).toBe(1);
    expect(err).toMatch(/answered 400: .*ParameterNotFound/);
    expect(err).not.toContain(CREDENTIALS.SecretAccessKey);
  });
});

/** SHA-256 as the library wants it. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined ? createHash("sha256") : createHmac("sha256", Buffer.from(secret as Uint8Array));
  }

  update(bytes: Uint8Array | string): void {
    this.#hash.update(bytes);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

it.each([
  [
    "ssm",
    ["parameter", "/fleetwright/a"],
    { "content-type": "application/x-amz-json-1.1", "x-amz-target": "AmazonSSM.GetParameter" },
    '{"Parameter":{"Value":"x"}}',
  ],
  [
    "autoscaling",
    ["go-on", "a group", "joined", "i-0a"],
    { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    "",
  ],
])("signs for %s as AWS's own library does", async (service, [command = "", ...more], headers, answer) => {
  const requests: { headers: IncomingMessage["headers"]; body: string }[] = [];
  const witness = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => {
      requests.push({ headers: request.headers, body });
      response.end(answer);
    });
  });
  const endpoint = await listen(witness);
  expect(await ask(command, "eu-central-1", endpoint, ...more)).toMatchObject({ code: 0, err: "" });
  witness.close();
  const [ours] = requests;
  const timestamp = String(ours?.headers["x-amz-date"]);
  const signer = new SignatureV4({
    service,
    region: "eu-central-1",
    sha256: Sha256,
    // Their digest of the body in a header is an extra of theirs.
    applyChecksum: false,
    credentials: {
      accessKeyId: CREDENTIALS.AccessKeyId,
      secretAccessKey: CREDENTIALS.SecretAccessKey,
      sessionToken: CREDENTIALS.Token,
    },
  });
  const url = new URL(endpoint);
  const theirs = await signer.sign(
    {
      method: "POST",
      protocol: "http:",
      hostname: url.hostname,
      path: "/",
      query: {},
      headers: { host: url.host, ...headers },
      body: ours?.body ?? "",
    },
    { signingDate: new Date(timestamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z")) },
  );
  expect(ours?.headers.authorization).toBe(theirs.headers.authorization);
});
