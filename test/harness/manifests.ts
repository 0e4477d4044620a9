import { ed25519 } from "../../api/testing/cases/ssh-keys";
import { bundledPlugins } from "../../scripts/generate/bundled-plugins";
import { jobFor } from "../../controllers/coordinator/plugins/job";
import { manifestsIn, type Manifest } from "../../controllers/coordinator/plugins/manifest";
import { mapManifests } from "../../controllers/coordinator/plugins/rest-mapping";
import { substitute } from "../../controllers/coordinator/plugins/values";
import { Discovery, type ApiClient } from "../../controllers/runtime";
import { textAt } from "../../lib/json";
import { configOf, declaredWith } from "./declared-stack";

/** One of everything that a stack can ask for, so that every object is rendered that it could declare. */
const EVERYTHING: Readonly<Record<string, unknown>> = {
  "fleetwright:users": [{ name: "jane", sudo: true, sshKeys: [{ key: ed25519 }] }],
  "fleetwright:registries": [{ name: "github", provider: "github", endpoint: "ghcr.io" }],
  "fleetwright:registryCredentials": { github: { username: "robot", password: "hush" } },
  "fleetwright:nodeLabels": { cluster: { tier: "gold" }, pools: { web: { disk: "nvme" } } },
  "fleetwright:plugins": bundledPlugins().map(({ parsed: { metadata } }) => ({
    name: metadata.name,
    bundled: metadata.name,
  })),
  "fleetwright:roles": [
    { name: "viewer", rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }] },
  ],
  "fleetwright:bindings": [{ role: "viewer", user: "jane" }],
};

/**
 * All that the program declares in a cluster, as the API server gets it. Stacks differ in what they build under a cluster, not
 * in what they put into it.
 */
export async function declaredManifests(): Promise<Manifest[]> {
  const asked = await declaredWith({ ...configOf("existing"), ...EVERYTHING });
  return asked
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map(({ urn, inputs }) => {
      if (isManifest(inputs)) return inputs;
      throw new Error(`${urn} is declared without an apiVersion, a kind or a name.`);
    });
}

function isManifest(value: Readonly<Record<string, unknown>>): value is Manifest {
  const { apiVersion, kind } = value;
  return [apiVersion, kind, textAt(value, "metadata", "name")].every((text) => typeof text === "string");
}

/** The objects of the bundled plugins with their default values, where and how the coordinator applies them; and their jobs. */
export async function pluginManifests(client: ApiClient, signal: AbortSignal): Promise<Manifest[]> {
  const discovery = new Discovery(client);
  const all = bundledPlugins().map(async ({ parsed }) => {
    const { metadata, spec } = parsed;
    const objects = manifestsIn(substitute(spec.source.inline ?? [], spec.values ?? {}), metadata.name);
    const { mapped, unmapped } = await mapManifests(
      metadata.name,
      objects,
      spec.namespace,
      discovery,
      signal,
    );
    if (unmapped.length > 0) throw new Error(unmapped.map(({ problem }) => problem.message).join("\n"));
    const jobs = [
      ...spec.jobs.before.map((job) => ({ job, made: jobFor(parsed, "Before", job) })),
      ...spec.jobs.after.map((job) => ({ job, made: jobFor(parsed, "After", job) })),
    ].map(({ job, made }) => ({
      ...made,
      // Its own name ends in a digest of the version.
      metadata: { ...made.metadata, name: `${metadata.name}-${job.name}` },
    }));
    return [...mapped.map(({ manifest }) => manifest), ...manifestsIn(jobs, metadata.name)];
  });
  return (await Promise.all(all)).flat();
}
