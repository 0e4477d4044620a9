import type { ApiClient } from "./api";
import { ApiError } from "./api";
import { waitFor, type WaitOptions } from "../../lib/deadline";
import { listAt, textAt } from "../../lib/json";

/** What simulated nodes look like. */
export interface NodeShape {
  /** Names are the prefix and a number. @default "node-" */
  prefix?: string;
  labels?: Readonly<Record<string, string>>;
  /** @default { cpu: "8", memory: "32Gi", pods: "110" } */
  capacity?: Readonly<Record<string, string>>;
}

const CAPACITY = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" };
const NOT_READY_TAINTS = new Set(["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]);
const AT_ONCE = 16;

/** A Node object that kwok takes care of. */
export function nodeManifest(name: string, address: string, shape: NodeShape = {}): Record<string, unknown> {
  const capacity = shape.capacity ?? CAPACITY;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      annotations: { "kwok.x-k8s.io/node": "fake" },
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "simulated",
        ...shape.labels,
      },
    },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: name },
      ],
    },
  };
}

/** An address for each of 131,072 nodes, from the range that is set aside for benchmarks and routed nowhere. */
export function nodeAddress(index: number): string {
  return `198.${18 + ((index >> 16) & 1)}.${(index >> 8) & 255}.${index & 255}`;
}

/** The names that come next after those that exist: `node-4`, `node-5` where there is a `node-3`. */
export function nextNames(existing: readonly string[], prefix: string, count: number): string[] {
  const numbers = existing
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter(Number.isInteger);
  const last = Math.max(0, ...numbers);
  return Array.from({ length: count }, (_, index) => `${prefix}${last + index + 1}`);
}

/** Why a node cannot take pods yet, or undefined where it can. */
export function unreadiness(node: unknown): string | undefined {
  const name = textAt(node, "metadata", "name") ?? "a node without a name";
  const ready = listAt(node, "status", "conditions").find(
    (condition) => textAt(condition, "type") === "Ready",
  );
  if (textAt(ready, "status") !== "True")
    return `${name} has the condition Ready ${textAt(ready, "status") ?? "missing"}`;
  const taint = listAt(node, "spec", "taints").find((entry) =>
    NOT_READY_TAINTS.has(textAt(entry, "key") ?? ""),
  );
  return taint === undefined ? undefined : `${name} still has the taint ${textAt(taint, "key") ?? ""}`;
}

/** Adds simulated nodes. Returns their names. */
export async function addNodes(api: ApiClient, count: number, shape: NodeShape = {}): Promise<string[]> {
  const existing = listAt(await api.get("/api/v1/nodes"), "items").map(
    (node) => textAt(node, "metadata", "name") ?? "",
  );
  const names = nextNames(existing, shape.prefix ?? "node-", count);
  const waiting = names.map((name, index) =>
    nodeManifest(name, nodeAddress(existing.length + index + 1), shape),
  );
  const worker = async (): Promise<void> => {
    for (let manifest = waiting.shift(); manifest !== undefined; manifest = waiting.shift()) {
      await createOnce(api, manifest);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
  return names;
}

/** Adds nodes until there are `count` simulated ones, so that a kept cluster does not grow at each start. */
export async function ensureNodes(api: ApiClient, count: number): Promise<string[]> {
  const existing = listAt(await api.get("/api/v1/nodes"), "items").filter(isSimulated).length;
  return count > existing ? addNodes(api, count - existing) : [];
}

/**
 * Frees the simulated nodes of an earlier run: their leases name a kwok that is gone, and the new one would leave such
 * nodes and their pods alone until the leases run out.
 */
export async function freeNodes(api: ApiClient): Promise<void> {
  const names = listAt(await api.get("/api/v1/nodes"), "items")
    .filter(isSimulated)
    .map((node) => textAt(node, "metadata", "name") ?? "");
  const worker = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      await api.send("DELETE", `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Waits until every simulated node can take pods; the time given is extended by a tenth of a second for each of `added`. */
export async function waitForNodes(api: ApiClient, added: number, options: WaitOptions): Promise<void> {
  await waitFor(
    "the simulated nodes to be ready",
    async () => {
      const nodes = listAt(await api.get("/api/v1/nodes"), "items");
      const simulated = nodes.filter(isSimulated);
      return simulated.map(unreadiness).find((reason) => reason !== undefined) ?? true;
    },
    { ...options, timeoutMs: options.timeoutMs + 100 * added },
  );
}

function isSimulated(node: unknown): boolean {
  return textAt(node, "metadata", "annotations", "kwok.x-k8s.io/node") === "fake";
}

async function createOnce(api: ApiClient, manifest: Record<string, unknown>): Promise<void> {
  try {
    await api.create("/api/v1/nodes", manifest);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
}
