import {
  assumeRole,
  AwsError,
  roleCredentials,
  send,
  serviceUrl,
  signedHeaders,
  type AwsEnvironment,
} from "../aws";
import { CredentialError, keyOf, type Credential, type RegistrySpec } from "./credential";

/** Where an ECR registry is: by its endpoint, unless the spec says otherwise. */
export function parseEcrEndpoint({ endpoint, ecr }: RegistrySpec): {
  account: string;
  region: string;
  fips: boolean;
} {
  const found = /^([0-9]{12})\.dkr\.ecr(-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(endpoint);
  const account = ecr?.accountId ?? found?.[1];
  const region = ecr?.region ?? found?.[3];
  if (account === undefined || region === undefined)
    throw new CredentialError(
      "EndpointInvalid",
      `The endpoint ${JSON.stringify(endpoint)} names neither account nor region: use <account>.dkr.ecr.<region>.amazonaws.com, or give spec.ecr.accountId and spec.ecr.region.`,
    );
  return { account, region, fips: found?.[2] !== undefined };
}

/** The credential of an ECR registry: a token for twelve hours. */
export async function ecrCredential(
  environment: AwsEnvironment,
  spec: RegistrySpec,
  data: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal,
): Promise<Credential> {
  try {
    return await tokenFor(environment, spec, data, signal);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const fix = error.reason === "TokenUnreadable" ? " Or name a Secret in spec.credentials." : "";
    throw new CredentialError(error.reason, `${error.message}${fix}`, { cause: error });
  }
}

async function tokenFor(
  environment: AwsEnvironment,
  spec: RegistrySpec,
  data: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal,
): Promise<Credential> {
  const { region, fips } = parseEcrEndpoint(spec);
  const own =
    spec.credentials === undefined
      ? await roleCredentials(environment, region, signal)
      : { accessKeyId: keyOf(spec, data, "usernameKey"), secretAccessKey: keyOf(spec, data, "passwordKey") };
  const { roleArn } = spec.ecr ?? {};
  const keys = roleArn === undefined ? own : await assumeRole(environment, region, roleArn, own, signal);
  const url = serviceUrl(environment.env, "ecr", region, fips);
  const body = "{}";
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
  };
  const answer = await send(`ECR in ${region}`, url, {
    method: "POST",
    headers: signedHeaders({ url, headers, body }, { keys, region, service: "ecr", now: environment.now() }),
    body,
    signal,
  });
  return tokenIn(answer, region);
}

function tokenIn(text: string, region: string): Credential {
  const found = firstOf(text);
  const { authorizationToken: token, expiresAt } = found;
  if (typeof token === "string" && typeof expiresAt === "number") {
    const [username = "", ...rest] = Buffer.from(token, "base64").toString("utf8").split(":");
    if (rest.length > 0)
      return { username, password: rest.join(":"), expiresAt: Math.round(expiresAt * 1000) };
  }
  throw new CredentialError("Refused", `ECR in ${region} returned no token.`);
}

function firstOf(text: string): Record<string, unknown> {
  try {
    const parsed = JSON.parse(text) as { authorizationData?: Record<string, unknown>[] };
    return parsed.authorizationData?.[0] ?? {};
  } catch {
    return {};
  }
}
