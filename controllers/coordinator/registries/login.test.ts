import http from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RegistrySpec } from "./credential";
import { loginWith } from "./login";

/** Stands in for ECR, STS and the metadata service; it knows who may and tells what it was asked. */
class AwsStandIn {
  readonly seen: { path: string; method: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  answer: (request: { path: string; headers: http.IncomingHttpHeaders; body: string }) => [number, string] =
    () => [500, ""];
  readonly #server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { url: at = "", method = "", headers } = request;
      this.seen.push({ path: at, method, headers, body });
      const [status, text] = this.answer({ path: at, headers, body });
      response.writeHead(status);
      response.end(text);
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

let aws: AwsStandIn;
let url: string;
let dir: string;
const now = Date.UTC(2026, 5, 1, 12);
const { signal } = new AbortController();

beforeEach(async () => {
  aws = new AwsStandIn();
  url = await aws.start();
  dir = await mkdtemp(path.join(tmpdir(), "fleetwright-login-"));
});
afterEach(async () => {
  aws.stop();
  await rm(dir, { recursive: true });
});

const spec = (more: Partial<RegistrySpec>): RegistrySpec => ({
  provider: "ecr",
  endpoint: "123456789012.dkr.ecr.eu-west-1.amazonaws.com",
  serviceAccounts: [],
  namespaceSelector: {},
  ...more,
});
const credentials = { name: "s", namespace: "n", usernameKey: "username", passwordKey: "password" };
const TOKEN = JSON.stringify({
  authorizationData: [
    {
      authorizationToken: Buffer.from("AWS:to:ken").toString("base64"),
      expiresAt: (now + 43_200_000) / 1000,
    },
  ],
});
const STS =
  "<R><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>session</SessionToken></Credentials></R>";

test("ECR gives a token for keys from a Secret", async () => {
  aws.answer = () => [200, TOKEN];
  const login = loginWith({ env: { AWS_ENDPOINT_URL: url }, now: () => now });
  const credential = await login(
    spec({ credentials }),
    { username: "AKIA", password: "very-secret" },
    signal,
  );
  expect(credential).toEqual({ username: "AWS", password: "to:ken", expiresAt: now + 43_200_000 });
  const [request] = aws.seen;
  expect(request?.headers).toMatchObject({
    "x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
    "x-amz-date": "20260601T120000Z",
  });
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIA\/20260601\/eu-west-1\/ecr\/aws4_request, /,
  );
  expect(JSON.stringify(request)).not.toContain("very-secret");
});

test("a role is assumed first, with the pod's web identity, and then another", async () => {
  const file = path.join(dir, "token");
  await writeFile(file, "jwt");
  aws.answer = ({ headers }) => (headers["x-amz-target"] === undefined ? [200, STS] : [200, TOKEN]);
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_ROLE_ARN: "arn:aws:iam::1:role/pod",
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
  };
  const login = loginWith({ env, now: () => now });
  await login(spec({ ecr: { roleArn: "arn:aws:iam::2:role/pull" } }), undefined, signal);
  const [identity, assumed, token] = aws.seen;
  expect(identity?.body).toContain("Action=AssumeRoleWithWebIdentity");
  expect(identity?.body).toContain("WebIdentityToken=jwt");
  expect(identity?.headers.authorization).toBeUndefined();
  expect(assumed?.body).toContain("RoleArn=arn%3Aaws%3Aiam%3A%3A2%3Arole%2Fpull");
  expect(assumed?.headers.authorization).toContain("Credential=ASIA/");
  expect(token?.headers["x-amz-security-token"]).toBe("session");
});

test("an identity token that cannot be read is reported with the way out", async () => {
  const env = { AWS_ROLE_ARN: "arn:aws:iam::1:role/pod", AWS_WEB_IDENTITY_TOKEN_FILE: "/nowhere/token" };
  await expect(loginWith({ env, now: () => now })(spec({}), undefined, signal)).rejects.toMatchObject({
    reason: "TokenUnreadable",
    message: expect.stringMatching(/could not be read: .*no such file.*spec\.credentials/) as string,
  });
});

test("without anything else, the node's role is taken, by the second version of the metadata service", async () => {
  const keys = JSON.stringify({ AccessKeyId: "ASIA", SecretAccessKey: "s", Token: "t" });
  aws.answer = ({ path: at, headers }) => {
    if (at === "/latest/api/token") return [200, "session"];
    if (at.startsWith("/latest/")) {
      if (headers["x-aws-ec2-metadata-token"] !== "session") return [401, ""];
      return [200, at.endsWith("/security-credentials/") ? "node-role" : keys];
    }
    return [200, TOKEN];
  };
  const env = { AWS_ENDPOINT_URL_ECR: url, AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
  await loginWith({ env, now: () => now })(spec({}), undefined, signal);
  expect(aws.seen.map(({ method, path: at }) => `${method} ${at}`)).toEqual([
    "PUT /latest/api/token",
    "GET /latest/meta-data/iam/security-credentials/",
    "GET /latest/meta-data/iam/security-credentials/node-role",
    "POST /",
  ]);
});

test("the agent of EKS gives the pod's keys", async () => {
  const file = path.join(dir, "token");
  await writeFile(file, "pod-token\n");
  aws.answer = ({ path: at, headers }) =>
    at === "/keys"
      ? headers.authorization === "pod-token"
        ? [200, JSON.stringify({ AccessKeyId: "A", SecretAccessKey: "s" })]
        : [401, ""]
      : [200, TOKEN];
  const env = {
    AWS_ENDPOINT_URL_ECR: url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/keys`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
  };
  await expect(loginWith({ env, now: () => now })(spec({}), undefined, signal)).resolves.toMatchObject({
    username: "AWS",
  });
});

test.each<[string, [number, string], RegExp]>([
  [
    "a refusal",
    [400, '{"__type":"UnrecognizedClientException","message":"The security token is invalid."}'],
    /ECR in eu-west-1 returned 400: The security token is invalid\./,
  ],
  ["an answer without a token", [200, "{}"], /returned no token/],
  ["what is no JSON", [200, "<html>"], /returned no token/],
])("%s is reported without the keys", async (_what, answer, message) => {
  aws.answer = () => answer;
  const attempt = loginWith({ env: { AWS_ENDPOINT_URL: url }, now: () => now })(
    spec({ credentials }),
    { username: "AKIA", password: "very-secret" },
    signal,
  );
  await expect(attempt).rejects.toMatchObject({
    name: "CredentialError",
    reason: "Refused",
    message: expect.stringMatching(message) as string,
  });
  await attempt.catch((error: unknown) => expect(String(error)).not.toContain("very-secret"));
});

test("a service that is not there is reported", async () => {
  aws.stop();
  const attempt = loginWith({ env: { AWS_ENDPOINT_URL: url }, now: () => now })(
    spec({ credentials }),
    { username: "a", password: "b" },
    signal,
  );
  await expect(attempt).rejects.toMatchObject({ reason: "Unreachable" });
});

test.each<[string, Partial<RegistrySpec>, string]>([
  ["the endpoint", {}, "eu-west-1"],
  ["the spec", { ecr: { region: "us-east-2", accountId: "1" }, endpoint: "ecr.example.com" }, "us-east-2"],
])("the region is that of %s", async (_what, more, region) => {
  aws.answer = () => [200, TOKEN];
  await loginWith({ env: { AWS_ENDPOINT_URL: url }, now: () => now })(
    spec({ credentials, ...more }),
    { username: "a", password: "b" },
    signal,
  );
  expect(aws.seen[0]?.headers.authorization).toContain(`/${region}/ecr/`);
});

test("Google takes the JSON key of a service account, and nothing else", async () => {
  const login = loginWith({ env: {}, now: () => now });
  const google = spec({ provider: "gar", endpoint: "europe-docker.pkg.dev", credentials });
  const key = JSON.stringify({ type: "service_account", private_key: "k" });
  await expect(login(google, { password: `${key}\n` }, signal)).resolves.toEqual({
    username: "_json_key",
    password: key,
  });
  await expect(login(google, { password: "hunter2" }, signal)).rejects.toMatchObject({
    reason: "KeyInvalid",
    message: expect.not.stringContaining("hunter2") as string,
  });
});

test("a key that is missing is reported with those that are there", async () => {
  const login = loginWith({ env: {}, now: () => now });
  await expect(
    login(spec({ provider: "basic", credentials }), { user: "a", password: "b" }, signal),
  ).rejects.toMatchObject({
    reason: "KeyMissing",
    message:
      'The Secret n/s has no key "username"; its keys are: password, user. Add it, or set spec.credentials.usernameKey to another.',
  });
});
