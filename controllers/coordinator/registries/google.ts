import { CredentialError, keyOf, type Credential, type RegistrySpec } from "./credential";

/** The credential of a Google registry: the JSON key of a service account, which does not expire by itself. */
export function googleCredential(
  spec: RegistrySpec,
  data: Readonly<Record<string, string>> | undefined,
): Credential {
  const password = keyOf(spec, data, "passwordKey").trim();
  if (!isServiceAccountKey(password)) {
    const { name = "", namespace = "", passwordKey = "" } = spec.credentials ?? {};
    throw new CredentialError(
      "KeyInvalid",
      `The key ${JSON.stringify(passwordKey)} of the Secret ${namespace}/${name} is not the JSON key of a Google service account: put the whole file there, with "type": "service_account".`,
    );
  }
  return { username: "_json_key", password };
}

function isServiceAccountKey(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return (
      typeof parsed === "object" &&
      parsed !== null &&
      "type" in parsed &&
      parsed.type === "service_account" &&
      "private_key" in parsed
    );
  } catch {
    return false;
  }
}
