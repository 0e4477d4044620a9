// What people declare and change while a row of the fault matrix is played, and what an observer that asks the API server itself must find
// when the faults are over.
import type { CoordinatorFixture } from "../../../test/harness/coordinator";
import { isNotFound, type Random, type Resource } from "../../runtime";
import { CLUSTER_LABELS, REGISTRIES } from "../kinds";
import { NAMESPACES, NODES, SECRETS, SERVICE_ACCOUNTS } from "../native-resources";

const SPACES = ["a", "b", "c", "d"].map((end) => `space-${end}`);
const HOSTS = ["node-a", "node-b", "node-c"];
/** What no log may hold. */
export const PASSWORD = "correct-horse-battery";
/** A Secret of somebody else, under the name that a copy would have. */
export const FOREIGN = { namespace: "default", name: "fleetwright-registry-seed" };

/** Takes one of several. */
export const pick = <T>(random: Random, from: readonly T[]): T => {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error("There is nothing to pick from.");
  return found;
};

/** Whether something is gone. */
export const gone = (
  { direct }: CoordinatorFixture,
  resource: Resource,
  ref: { name: string; namespace?: string },
): Promise<boolean> =>
  direct.get(resource, ref).then(
    () => false,
    (error: unknown) => isNotFound(error),
  );

/** Does something to an object that may be gone. */
export const unlessGone = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });

/** Makes one object of ours. */
export const declare = (
  { direct }: CoordinatorFixture,
  resource: Resource,
  name: string,
  spec: unknown,
): Promise<unknown> =>
  direct.request({
    method: "POST",
    path: `/apis/fleetwright.dev/v1/${resource.plural}`,
    body: { apiVersion: "fleetwright.dev/v1", kind: resource.kind, metadata: { name }, spec },
  });

/** Makes what the faults strike. */
export async function prepareObjects({ direct, home }: CoordinatorFixture): Promise<void> {
  for (const name of SPACES) await direct.create(NAMESPACES, { metadata: { name } });
  for (const name of HOSTS) await direct.create(NODES, { metadata: { name, labels: { theirs: "kept" } } });
  const data = { username: "YQ==", password: Buffer.from(PASSWORD).toString("base64") };
  await direct.create(SECRETS, { metadata: { namespace: home, name: "login" }, data });
  await direct.create(SECRETS, { metadata: FOREIGN });
}

/** Declares what the coordinator has to keep. */
export async function declareAll(fixture: CoordinatorFixture, seed: number): Promise<void> {
  await declare(fixture, REGISTRIES, "seed", {
    provider: "basic",
    endpoint: "registry.example.com",
    credentials: { name: "login" },
  });
  await declare(fixture, CLUSTER_LABELS, "seed", { key: "env", value: `v${seed}` });
}

/** One change by somebody, to what is declared or to what came of it. */
export async function act({ direct }: CoordinatorFixture, random: Random, seed: number): Promise<void> {
  const namespace = pick(random, SPACES);
  const copy = { namespace, name: "fleetwright-registry-seed" };
  const dice = random();
  if (dice < 0.2) await unlessGone(direct.delete(SECRETS, copy));
  else if (dice < 0.4)
    await unlessGone(direct.patch(SECRETS, copy, { data: { ".dockerconfigjson": "e30=" } }));
  else if (dice < 0.55) await unlessGone(direct.delete(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" }));
  else if (dice < 0.75) {
    const labels = { "cluster.fleetwright.dev/env": pick(random, ["drift", null]) };
    await direct.patch(NODES, { name: pick(random, HOSTS) }, { metadata: { labels } });
  } else
    await direct.patch(
      CLUSTER_LABELS,
      { name: "seed" },
      { spec: { value: `v${seed}-${Math.floor(random() * 9)}` } },
    );
}

/** Fields of others, on an object that is ours too; each must still be there at the end. */
export async function storm({ direct }: CoordinatorFixture, writers: number, seed: number): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const annotations = { [`storm.example.com/w${writer}`]: String(seed) };
      await direct.patch(NODES, { name: "node-a" }, { metadata: { annotations } });
    }),
  );
}

/** How many of the fields of others are there. */
export async function stormLeft({ direct }: CoordinatorFixture, seed: number): Promise<number> {
  const { annotations = {} } = (await direct.get(NODES, { name: "node-a" })).metadata;
  return Object.entries(annotations).filter(
    ([key, value]) => key.startsWith("storm.example.com/") && value === String(seed),
  ).length;
}

/** Whether all is as declared; else what is not. */
export async function difference({ direct }: CoordinatorFixture): Promise<string> {
  const { spec, status, metadata } = await direct.get(CLUSTER_LABELS, { name: "seed" });
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
  if (status?.observedGeneration !== metadata.generation || ready !== "True")
    return "the status of the label";
  for (const name of HOSTS) {
    const { labels = {} } = (await direct.get(NODES, { name })).metadata;
    if (labels["cluster.fleetwright.dev/env"] !== spec.value || labels.theirs !== "kept")
      return `labels of ${name}`;
  }
  for (const namespace of SPACES) {
    const copy = await direct
      .get(SECRETS, { namespace, name: "fleetwright-registry-seed" })
      .catch(() => undefined);
    const config = Buffer.from(copy?.data?.[".dockerconfigjson"] ?? "", "base64").toString();
    if (!config.includes(PASSWORD)) return `the pull secret in ${namespace}`;
    const account = await direct
      .get(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" })
      .catch(() => undefined);
    if (account?.imagePullSecrets?.length !== 1) return `the service account in ${namespace}`;
  }
  return "";
}

/** Takes back what was declared, and waits for nothing. */
export async function withdrawAll({ direct }: CoordinatorFixture): Promise<void> {
  for (const resource of [REGISTRIES, CLUSTER_LABELS])
    await unlessGone(direct.delete(resource, { name: "seed" }));
}
