import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ASK_AWS } from "./ask-aws";
import { ECR_CREDENTIALS } from "./ecr-credentials";

// The program itself, with servers in the place of the metadata service and of ECR.
const CREDENTIALS = { AccessKeyId: "ASIAEXAMPLE", SecretAccessKey: "example-key", Token: "session" };
const HOST = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
let folder: string;
let servers: Server[];
let environment: NodeJS.ProcessEnv;
const asked: IncomingMessage["headers"][] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetwright-ecr-"));
  writeFileSync(join(folder, "fleetwright-aws"), ASK_AWS);
  writeFileSync(join(folder, "ecr"), ECR_CREDENTIALS);
  const metadata = createServer((request, response) => {
    if (request.method === "PUT") response.end("session");
    else if (request.url?.endsWith("/security-credentials/") === true) response.end("agents\n");
    else response.end(JSON.stringify(CREDENTIALS));
  });
  const ecr = createServer((request, response) => {
    asked.push(request.headers);
    const authorizationToken = Buffer.from("AWS:pass:word").toString("base64");
    response.end(JSON.stringify({ authorizationData: [{ authorizationToken }] }));
  });
  servers = [metadata, ecr];
  environment = {
    PATH: process.env.PATH,
    ASK_AWS: join(folder, "fleetwright-aws"),
    METADATA_URL: await listen(metadata),
    ECR_ENDPOINT: await listen(ecr),
  };
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function credentialsFor(image: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn("python3", [join(folder, "ecr")], { env: environment });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  const request = {
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    kind: "CredentialProviderRequest",
    image,
  };
  child.stdin.end(JSON.stringify(request));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

it("gives the kubelet a password of ECR, asked with the instance's role", async () => {
  const { code, out, err } = await credentialsFor(`${HOST}/fleetwright/agent@sha256:aa`);
  expect([code, err]).toEqual([0, ""]);
  expect(JSON.parse(out)).toEqual({
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    kind: "CredentialProviderResponse",
    cacheKeyType: "Registry",
    cacheDuration: "6h",
    auth: { [HOST]: { username: "AWS", password: "pass:word" } },
  });
  expect(asked[0]).toMatchObject({
    "x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
    "x-amz-security-token": "session",
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE\/\d+\/eu-central-1\/ecr\//,
    ) as string,
  });
});

it.each(["docker.io/library/nginx", `${HOST}.example.com/x`, "123.dkr.ecr.eu-central-1.amazonaws.com/x"])(
  "asks nobody for %s",
  async (image) => {
    const before = asked.length;
    const { code, out, err } = await credentialsFor(image);
    expect([code, out, asked.length]).toEqual([1, "", before]);
    expect(err).toContain("is no registry of ECR");
  },
);
