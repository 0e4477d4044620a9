// Credentials of a pod's service account, read again when they are rotated.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { systemClock, type Clock } from "./clock";
import type { Credentials, CredentialSource } from "./credentials";
import { stampOf } from "./file-stamp";

/** Where a pod finds who it is. */
export const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
const LOOK_EVERY_MS = 1000;

/**
 * Credentials of a service account from its folder (`token`, `ca.crt`), read again when a file changes. Unlike a
 * kubeconfig they need no client library, which is most of the memory of a small program.
 */
export function podCredentials(
  server: string,
  folder = SERVICE_ACCOUNT_FOLDER,
  clock: Clock = systemClock,
): CredentialSource {
  const files = ["token", "ca.crt"].map((name) => path.join(folder, name));
  let known: { credentials: Credentials; stamp: string } | undefined;
  let lookedAt = -Infinity;
  let reading: Promise<Credentials> | undefined;
  const look = async (): Promise<Credentials> => {
    lookedAt = clock.monotonic();
    // Taken before reading: a change in between is then seen as one at the next look.
    const stamp = await stampOf(files);
    if (known?.stamp === stamp) return known.credentials;
    const [token = "", ca = ""] = await Promise.all(files.map((file) => readFile(file, "utf8")));
    known = {
      credentials: { server, tls: { ca }, headers: { authorization: `Bearer ${token.trim()}` } },
      stamp,
    };
    return known.credentials;
  };
  return {
    current() {
      if (known !== undefined && clock.monotonic() - lookedAt < LOOK_EVERY_MS)
        return Promise.resolve(known.credentials);
      reading ??= look().finally(() => (reading = undefined));
      return reading;
    },
    refused() {
      lookedAt = -Infinity;
      if (known !== undefined) known.stamp = "";
    },
  };
}

/** The address of the API server from the environment of every pod. */
export function podServer(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  if (host === undefined || host === "") return undefined;
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
