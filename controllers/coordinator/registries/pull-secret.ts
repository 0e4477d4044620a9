import { createHash } from "node:crypto";
import { derivedName } from "../derived-name";
import type { RegistryObject } from "../kinds";
import type { Secret, ServiceAccount } from "../native-resources";
import { ownLabels } from "../../app/ownership";
import { timestamp } from "../timestamp";
import { PULL_SECRET_TYPE, pullSecretData, type Credential } from "./credential";

/** As in labels and field managers. */
export const CONTROLLER = "registries";
/** Says on a pull secret for which Registry it is. */
export const REGISTRY = "fleetwright.dev/registry";
const OBTAINED = "fleetwright.dev/obtained-at";
const EXPIRES = "fleetwright.dev/expires-at";
const SOURCE = "fleetwright.dev/source";
const DIGEST = "fleetwright.dev/digest";
const PREFIX = "fleetwright-registry-";

/** The name of a Registry's pull secret in every namespace. */
export function pullSecretName(registry: string): string {
  return derivedName(PREFIX, registry);
}

/**
 * The pull secret from which all others are copied, in the product's namespace. What is to be known of the credential
 * stands on it, so that a new leader goes on where the one before stopped.
 */
export function originalSecret(
  registry: RegistryObject,
  credential: Credential,
  { home, source, now }: { home: string; source: string; now: number },
): Secret {
  const data = pullSecretData(registry.spec, credential);
  const { expiresAt } = credential;
  return {
    metadata: {
      namespace: home,
      name: pullSecretName(registry.metadata.name),
      labels: ownLabels(CONTROLLER),
      annotations: {
        [REGISTRY]: registry.metadata.name,
        [OBTAINED]: timestamp(now),
        [EXPIRES]: expiresAt === undefined ? "never" : timestamp(expiresAt),
        [SOURCE]: source,
        // Detects a token that somebody replaced. A password gets none: a hash would reveal too much.
        [DIGEST]: expiresAt === undefined ? "none" : digestOf(data),
      },
    },
    type: PULL_SECRET_TYPE,
    data,
  };
}

/** What an original says of its credential. */
export interface Held {
  source: string;
  obtainedAt: number;
  expiresAt: number | undefined;
  /** Whether it still holds what was put there; always true where that can be worked out again. */
  intact: boolean;
}

/** Reads what stands on an original; undefined if it says nothing that makes sense. */
export function heldBy({ metadata: { annotations = {} }, data = {} }: Secret): Held | undefined {
  const obtainedAt = Date.parse(annotations[OBTAINED] ?? "");
  const expires = annotations[EXPIRES];
  const expiresAt = expires === "never" ? undefined : Date.parse(expires ?? "");
  if (Number.isNaN(obtainedAt) || (expiresAt !== undefined && Number.isNaN(expiresAt))) return undefined;
  const intact = expiresAt === undefined || annotations[DIGEST] === digestOf(data);
  return { source: annotations[SOURCE] ?? "", obtainedAt, expiresAt, intact };
}

/** When a token is to be renewed: after two thirds of its time, so that failures have a third to be overcome. */
export function renewalTime({ obtainedAt, expiresAt }: Held): number | undefined {
  return expiresAt === undefined ? undefined : obtainedAt + ((expiresAt - obtainedAt) * 2) / 3;
}

/** The copy of an original for a namespace. */
export function copyFor(namespace: string, { metadata, type, data }: Secret): Secret {
  const registry = metadata.annotations?.[REGISTRY] ?? "";
  return {
    metadata: {
      namespace,
      name: metadata.name,
      labels: ownLabels(CONTROLLER),
      annotations: { [REGISTRY]: registry },
    },
    ...(type === undefined ? {} : { type }),
    data: data ?? {},
  };
}

/** The entries of a service account with ours as wanted and all others as they are; undefined if nothing changes. */
export function pullEntries(
  { imagePullSecrets = [] }: ServiceAccount,
  wanted: readonly string[],
): { name?: string }[] | undefined {
  const kept = imagePullSecrets.filter(({ name = "" }) => !name.startsWith(PREFIX) || wanted.includes(name));
  const missing = wanted.filter((name) => !imagePullSecrets.some((entry) => entry.name === name));
  if (missing.length === 0 && kept.length === imagePullSecrets.length) return undefined;
  return [...kept, ...missing.map((name) => ({ name }))];
}

/** Whether a service account names a pull secret. */
export function hasEntry({ imagePullSecrets = [] }: ServiceAccount, secret: string): boolean {
  return imagePullSecrets.some(({ name }) => name === secret);
}

function digestOf(data: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(data)).digest("hex").slice(0, 32);
}
