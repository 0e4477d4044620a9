// Whose account a registry is asked with: from the environment, the settings of container engines, or AWS. Never from the
// command line, which everybody on the machine can read.
import { execFile } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { STSClient } from "@aws-sdk/client-sts";
import type { RegistrySpec } from "../../controllers/coordinator/registries/credential";
import { ecrCredential, parseEcrEndpoint } from "../../controllers/coordinator/registries/ecr";
import { errorMessage, Failure } from "../../lib/failure";
import { readIfPresent } from "../../lib/files";
import { parseJson, textAt } from "../../lib/json";

/** An account of a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  /** Whether the password is a token that is exchanged for others (`docker login` of some registries keeps one). */
  readonly isIdentityToken?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const USERNAME = "FLEETWRIGHT_REGISTRY_USERNAME";
const PASSWORD = "FLEETWRIGHT_REGISTRY_PASSWORD";
const ECR = /^[0-9]{12}\.dkr\.ecr(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;
/** By this name a credential helper gives an identity token. */
const TOKEN_USER = "<token>";
/** Docker's own name for its registry. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/** The account for a registry; undefined where nobody says one, and the registry is asked as anybody. */
export async function loginFor(
  host: string,
  env: Environment = process.env,
  signal: AbortSignal = AbortSignal.timeout(60_000),
): Promise<RegistryLogin | undefined> {
  const { [USERNAME]: username, [PASSWORD]: password } = env;
  if ((username === undefined) !== (password === undefined))
    throw new Failure(
      `Only one of ${USERNAME} and ${PASSWORD} is set in the environment: set both, or neither.`,
    );
  if (username !== undefined && password !== undefined) return { username, password };
  return (await engineLogin(host, env)) ?? (ECR.test(host) ? await awsLogin(host, env, signal) : undefined);
}

/** What `docker login`, `podman login` and their helpers keep. */
async function engineLogin(host: string, env: Environment): Promise<RegistryLogin | undefined> {
  const file = path.join(env.DOCKER_CONFIG ?? path.join(env.HOME ?? os.homedir(), ".docker"), "config.json");
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  const settings = parseJson(text);
  if (settings === undefined) throw new Failure(`${file} is no JSON: correct it, or remove it.`);
  const keys =
    host === "registry-1.docker.io" || host === "docker.io" ? [DOCKER_HUB, host] : [host, `https://${host}`];
  for (const key of keys) {
    const helper = textAt(settings, "credHelpers", key);
    if (helper !== undefined) return askHelper(helper, key, env);
    const token = textAt(settings, "auths", key, "identitytoken");
    if (token !== undefined && token !== "") return { username: "", password: token, isIdentityToken: true };
    const encoded = textAt(settings, "auths", key, "auth");
    if (encoded !== undefined && encoded !== "")
      return basicLogin(encoded, `${file}, auths[${JSON.stringify(key)}]`);
  }
  const store = textAt(settings, "credsStore");
  return store === undefined ? undefined : askHelper(store, keys[0] ?? host, env);
}

function basicLogin(encoded: string, where: string): RegistryLogin {
  const [username = "", ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  if (username === "" || rest.length === 0)
    throw new Failure(
      `${where}.auth is no base64 of user:password: log in again with your container engine.`,
    );
  return { username, password: rest.join(":") };
}

/** Asks a program that keeps credentials. It knows a registry, or says that it does not. */
async function askHelper(name: string, host: string, env: Environment): Promise<RegistryLogin | undefined> {
  const program = `docker-credential-${name}`;
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve, reject) => {
    const child = execFile(program, ["get"], { env: { ...env } }, (error, out) => {
      if (error === null) resolve({ code: 0, stdout: out });
      else if (typeof error.code === "number") resolve({ code: error.code, stdout: out });
      else
        reject(
          new Failure(
            `${program}, which your container engine's settings name, could not be run: ${errorMessage(error)}`,
          ),
        );
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(host);
  });
  if (code !== 0) {
    if (/not found/i.test(stdout)) return undefined;
    throw new Failure(`${program} gave no credentials for ${host}: ${stdout.trim()}`);
  }
  const answer = parseJson(stdout);
  const [username, password] = [textAt(answer, "Username"), textAt(answer, "Secret")];
  if (username === undefined || password === undefined)
    throw new Failure(`${program} gave no credentials for ${host}.`);
  return username === TOKEN_USER ? { username: "", password, isIdentityToken: true } : { username, password };
}

/** A registry of AWS takes a token for twelve hours, which it gives to whom AWS knows. */
async function awsLogin(host: string, env: Environment, signal: AbortSignal): Promise<RegistryLogin> {
  const spec: RegistrySpec = {
    provider: "ecr",
    endpoint: host,
    serviceAccounts: [],
    namespaceSelector: {},
  };
  const { region } = parseEcrEndpoint(spec);
  // AWS's own library finds credentials where its command line does: variables, profiles, single sign-on, roles.
  const client = new STSClient({ region });
  try {
    const keys = await client.config.credentials();
    const { username, password } = await ecrCredential(
      {
        env: {
          ...env,
          AWS_ACCESS_KEY_ID: keys.accessKeyId,
          AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
          AWS_SESSION_TOKEN: keys.sessionToken,
        },
        now: () => Date.now(),
      },
      spec,
      undefined,
      signal,
    );
    return { username, password };
  } catch (error) {
    throw new Failure(
      `No login for ${host}: ${errorMessage(error)} AWS credentials are looked for as the AWS CLI does (AWS_PROFILE, variables, a role), and need ecr:GetAuthorizationToken.`,
      undefined,
      { cause: error },
    );
  } finally {
    client.destroy();
  }
}
