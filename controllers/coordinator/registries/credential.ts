import type { RegistryObject } from "../kinds";

/** The spec of a Registry. */
export type RegistrySpec = RegistryObject["spec"];

/** A user name and password with which a registry lets in. */
export interface Credential {
  username: string;
  password: string;
  /** When it stops to work, in milliseconds since 1970; absent if it does not. */
  expiresAt?: number;
}

/** Why there is no credential: one word, and a sentence with the fix. Never holds a secret. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";

  constructor(
    readonly reason: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Gets a credential for a registry; `data` is what the Secret that the Registry names holds, decoded. */
export type Login = (
  spec: RegistrySpec,
  data: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal,
) => Promise<Credential>;

/** The type of every pull secret. */
export const PULL_SECRET_TYPE = "kubernetes.io/dockerconfigjson";

/** The data of a pull secret. */
export function pullSecretData(
  { provider, endpoint }: RegistrySpec,
  { username, password }: Credential,
): Record<string, string> {
  const auth = Buffer.from(`${username}:${password}`).toString("base64");
  const config = { auths: { [configKey(provider, endpoint)]: { username, password, auth } } };
  return { ".dockerconfigjson": Buffer.from(JSON.stringify(config)).toString("base64") };
}

// Kubelets look for Docker's own registry under the name that it had in its first version.
function configKey(provider: RegistrySpec["provider"], endpoint: string): string {
  const isDocker = provider === "dockerhub" || endpoint === "docker.io" || endpoint === "index.docker.io";
  return isDocker ? "https://index.docker.io/v1/" : endpoint;
}

/** One key of the credentials' Secret; the error for a missing one names those that exist. */
export function keyOf(
  { credentials }: RegistrySpec,
  data: Readonly<Record<string, string>> | undefined,
  which: "usernameKey" | "passwordKey",
): string {
  const key = credentials?.[which] ?? "";
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined && value !== "") return value;
  const { name = "", namespace = "" } = credentials ?? {};
  const found =
    Object.keys(data ?? {})
      .sort()
      .join(", ") || "none";
  throw new CredentialError(
    "KeyMissing",
    `The Secret ${namespace}/${name} has no key ${JSON.stringify(key)}; its keys are: ${found}. Add it, or set spec.credentials.${which} to another.`,
  );
}
