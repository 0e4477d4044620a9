// The keys with which this process asks AWS, from where AWS's own tools look for them too.
import { readFile } from "node:fs/promises";
import { errorMessage } from "../../runtime";
import { AwsError, send, serviceUrl, type AwsEnvironment } from "./request";
import { signedHeaders, type AwsCredentials } from "./signature";

/**
 * The keys that this process has: given to it in its environment, or those of a role: of its pod by a web identity, of its
 * pod by the agent of EKS, or of its node by the metadata service. The first that the environment speaks of is taken.
 */
export async function roleCredentials(
  environment: AwsEnvironment,
  region: string,
  signal: AbortSignal,
): Promise<AwsCredentials> {
  const { env } = environment;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN };
  const {
    AWS_ROLE_ARN: role,
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: uri,
  } = env;
  if (role !== undefined && file !== undefined) {
    const WebIdentityToken = await tokenIn(file);
    const query = { Action: "AssumeRoleWithWebIdentity", RoleArn: role, WebIdentityToken };
    return stsKeys(environment, region, query, undefined, signal);
  }
  if (uri !== undefined) {
    const tokenFile = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
    const authorization =
      tokenFile === undefined ? env.AWS_CONTAINER_AUTHORIZATION_TOKEN : (await tokenIn(tokenFile)).trim();
    const headers = authorization === undefined ? {} : { authorization };
    return keysIn(
      await send("The pod's identity agent", uri, { headers, signal }),
      "The pod's identity agent",
    );
  }
  return nodeKeys(env, signal);
}

async function tokenIn(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new AwsError(
      "TokenUnreadable",
      `The pod's identity token could not be read: ${errorMessage(error)}. Give the coordinator's service account a role.`,
      { cause: error },
    );
  }
}

/** Keys of another role, by keys that may assume it. */
export async function assumeRole(
  environment: AwsEnvironment,
  region: string,
  roleArn: string,
  keys: AwsCredentials,
  signal: AbortSignal,
): Promise<AwsCredentials> {
  return stsKeys(environment, region, { Action: "AssumeRole", RoleArn: roleArn }, keys, signal);
}

async function stsKeys(
  { env, now }: AwsEnvironment,
  region: string,
  query: Record<string, string>,
  keys: AwsCredentials | undefined,
  signal: AbortSignal,
): Promise<AwsCredentials> {
  const url = serviceUrl(env, "sts", region);
  const body = new URLSearchParams({
    Version: "2011-06-15",
    RoleSessionName: "fleetwright-coordinator",
    ...query,
  }).toString();
  const plain = { "content-type": "application/x-www-form-urlencoded" };
  const headers =
    keys === undefined
      ? plain
      : signedHeaders({ url, headers: plain, body }, { keys, region, service: "sts", now: now() });
  const what = `STS (${query.Action ?? ""} ${query.RoleArn ?? ""})`;
  const text = await send(what, url, { method: "POST", headers, body, signal });
  const field = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? "";
  const found = {
    accessKeyId: field("AccessKeyId"),
    secretAccessKey: field("SecretAccessKey"),
    sessionToken: field("SessionToken"),
  };
  if (found.accessKeyId === "") throw new AwsError("Refused", `${what} returned no keys.`);
  return found;
}

async function nodeKeys(env: AwsEnvironment["env"], signal: AbortSignal): Promise<AwsCredentials> {
  const what = "The node's metadata service";
  const base = `${env.AWS_EC2_METADATA_SERVICE_ENDPOINT ?? "http://169.254.169.254"}/latest`;
  // A node without the service must not hold the reconcile up until its deadline.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
  const lifetime = { "x-aws-ec2-metadata-token-ttl-seconds": "300" };
  const token = await send(what, `${base}/api/token`, { method: "PUT", headers: lifetime, signal: soon });
  const headers = { "x-aws-ec2-metadata-token": token };
  const roles = `${base}/meta-data/iam/security-credentials`;
  const role = (await send(what, `${roles}/`, { headers, signal: soon })).split("\n")[0] ?? "";
  return keysIn(await send(what, `${roles}/${encodeURIComponent(role)}`, { headers, signal: soon }), what);
}

function keysIn(text: string, what: string): AwsCredentials {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === "object" && found !== null) {
      const { AccessKeyId: id, SecretAccessKey: key, Token: token } = found as Record<string, unknown>;
      if (typeof id === "string" && typeof key === "string")
        return {
          accessKeyId: id,
          secretAccessKey: key,
          ...(typeof token === "string" ? { sessionToken: token } : {}),
        };
    }
  } catch {
    // Told below, without the text: it may hold half of a key.
  }
  throw new AwsError("Refused", `${what} returned no keys.`);
}
