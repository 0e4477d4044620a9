import { readFile } from "node:fs/promises";
import path from "node:path";
import { loadAll } from "js-yaml";
import { ALLOW_DELETION } from "../../../controllers/app/deletion-guard";
import { PLUGINS, type PluginObject } from "../../../controllers/coordinator/kinds";
import { ApiError, type ApiClient, type KubernetesObject, type Resource } from "../../../controllers/runtime";
import { waitFor } from "../fault-proxy";

/** Where bundled plugins stand. */
export const CATALOGUE = path.resolve(__dirname, "../../../plugins");

/** Any object of the API. */
export interface AnyObject extends KubernetesObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** The documents of a file of the catalogue. */
export async function catalogueFile(name: string): Promise<AnyObject[]> {
  return loadAll(await readFile(path.join(CATALOGUE, name), "utf8")) as AnyObject[];
}

/** Applies objects as an administrator does. */
export async function applyAll(client: ApiClient, objects: readonly AnyObject[]): Promise<void> {
  for (const object of objects) {
    const list = await client.request<{ resources: { name: string; kind: string; namespaced: boolean }[] }>({
      method: "GET",
      path: object.apiVersion.includes("/") ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`,
    });
    const found = list.resources.find(({ kind, name }) => kind === object.kind && !name.includes("/"));
    const [group = "", version = ""] = object.apiVersion.includes("/")
      ? object.apiVersion.split("/")
      : ["", object.apiVersion];
    const resource = {
      group,
      version,
      kind: object.kind,
      plural: found?.name ?? "",
      namespaced: found?.namespaced ?? false,
    };
    await client.patch(resource, object.metadata, object, {
      type: "apply",
      query: { fieldManager: "administrator", force: true },
    });
  }
}

/** One Plugin, watched from outside. */
export class PluginProbe {
  readonly #client: ApiClient;
  readonly name: string;

  constructor(client: ApiClient, name: string) {
    this.#client = client;
    this.name = name;
  }

  async create(spec: object, annotations: Record<string, string> = {}): Promise<void> {
    await this.#client.request({
      method: "POST",
      path: "/apis/fleetwright.dev/v1/plugins",
      body: {
        apiVersion: "fleetwright.dev/v1",
        kind: "Plugin",
        metadata: { name: this.name, annotations },
        spec: { type: "test", version: "1.0.0", ...spec },
      },
    });
  }

  async patch(spec: object): Promise<void> {
    await this.#client.patch(PLUGINS, { name: this.name }, { spec });
  }

  async get(): Promise<PluginObject | undefined> {
    return find(this.#client, PLUGINS, { name: this.name });
  }

  /** Waits until a condition has a reason; gives its message. */
  async says(type: "Ready" | "Applied" | "Healthy", reason: string, timeoutMs = 120_000): Promise<string> {
    let last = "";
    const condition = await waitFor(
      `${type} of ${this.name} to say ${reason}`,
      async () => {
        const { status, metadata } = (await this.get()) ?? {};
        const found = status?.conditions?.find((entry) => entry.type === type);
        last = `${found?.reason ?? ""}: ${found?.message ?? ""}`;
        return found?.reason === reason && found.observedGeneration === metadata?.generation
          ? found
          : undefined;
      },
      timeoutMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} It says ${last}`);
    });
    return condition?.message ?? "";
  }

  /** Waits until all is in place and healthy. */
  async ready(timeoutMs = 120_000): Promise<PluginObject> {
    await this.says("Ready", "Healthy", timeoutMs);
    const plugin = await this.get();
    if (plugin === undefined) throw new Error(`The Plugin ${this.name} is gone.`);
    return plugin;
  }

  /** Deletes it, with the confirmation that whoever deletes many within ten minutes has to give. */
  async delete(): Promise<void> {
    const confirmed = { metadata: { annotations: { [ALLOW_DELETION]: "true" } } };
    try {
      await this.#client.patch(PLUGINS, { name: this.name }, confirmed);
      await this.#client.delete(PLUGINS, { name: this.name });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }

  /** Waits until it is gone. */
  async gone(timeoutMs = 120_000): Promise<void> {
    let last: unknown;
    await waitFor(
      `${this.name} to go`,
      async () => {
        const plugin = await this.get();
        last = plugin?.status?.conditions?.[0]?.message;
        return plugin === undefined;
      },
      timeoutMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} It says ${String(last)}`);
    });
  }
}

/** An object, or undefined if there is none. */
export async function find<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  ref: { name: string; namespace?: string },
): Promise<T | undefined> {
  try {
    return await client.get(resource, ref);
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

/** Everything in the cluster that carries a Plugin's label, and its records. */
export async function tracesOf(client: ApiClient, plugin: string): Promise<string[]> {
  // Right after a definition went, the server says 429 or 404 to who asks for what it does not serve any more.
  const ask = async <T>(path: string, otherwise: T, query: Record<string, string> = {}): Promise<T> =>
    client.request<T>({ method: "GET", path, query }).catch((error: unknown) => {
      if (error instanceof ApiError && [404, 429, 503].includes(error.code)) return otherwise;
      throw error;
    });
  const { groups } = await ask<{ groups: { preferredVersion: { groupVersion: string } }[] }>("/apis", {
    groups: [],
  });
  const roots = [
    "/api/v1",
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const found: string[] = [];
  const look = async (path: string, what: string, label: string): Promise<void> => {
    const none = { items: [] as KubernetesObject[] };
    const { items } = await ask(path, none, { labelSelector: `${label}=${plugin}` });
    found.push(...items.map(({ metadata }) => `${what} ${metadata.namespace ?? ""}/${metadata.name}`));
  };
  for (const root of roots) {
    const { resources } = await ask<{ resources: { name: string; verbs: string[] }[] }>(root, {
      resources: [],
    });
    for (const { name, verbs } of resources)
      if (verbs.includes("list") && !name.includes("/"))
        await look(`${root}/${name}`, name, "fleetwright.dev/plugin");
  }
  await look("/api/v1/secrets", "secrets", "fleetwright.dev/plugin-record");
  return found;
}
