// Keeps the imports of one cluster: one for each version of a kind that it has, and none for a kind that it has no more.
import { importName } from "../../../api";
import { Applier, deleteExactly, type ApiClient, type Informer, type KubernetesObject } from "../../runtime";
import { IMPORTS, type ImportObject, type ImportSpec } from "./kinds";
import { Puller } from "./puller";
import { SchemaTooLargeError, type Schemas } from "./schemas";

/** Whose kinds are imported. */
export interface ImportedCluster {
  name: string;
  uid: string;
  /** What is wanted: `resource.group`, `*.group` or `*`. */
  wanted: readonly string[];
}

/** What an importer needs. */
export interface ImporterOptions {
  hub: ApiClient;
  member: ApiClient;
  schemas: Schemas;
  imports: Informer<ImportObject>;
}

/** Brings the imports of a cluster to what the cluster has. */
export class Importer {
  readonly #options: ImporterOptions;
  readonly #puller: Puller;
  readonly #applier: Applier;

  constructor(options: ImporterOptions) {
    this.#options = options;
    this.#puller = new Puller(options.member);
    this.#applier = new Applier(options.hub, "fleetwright-apis");
  }

  /** Reads the cluster and writes what differs. Nothing is removed unless everything could be read. */
  async sync({ name, uid, wanted }: ImportedCluster, signal: AbortSignal): Promise<void> {
    const { imports, schemas, hub } = this.#options;
    const found = await this.#puller.pull(wanted, signal);
    const present = new Set<string>();
    for (const { spec, schema } of found) {
      // A schema that cannot be stored costs its own kind, whose import then says so, and no other.
      const schemaHash = await schemas.put(schema, signal).catch((error: unknown) => {
        if (!(error instanceof SchemaTooLargeError)) throw error;
        return error.hash;
      });
      const full: ImportSpec = { ...spec, cluster: name, schemaHash };
      const key = importName(name, spec);
      present.add(key);
      await this.#applier.apply(IMPORTS, imported(key, uid, full), {
        live: imports.get(key),
        force: true,
        signal,
      });
    }
    for (const old of imports.byIndex("cluster", name)) {
      if (present.has(old.metadata.name)) continue;
      await deleteExactly(hub, IMPORTS, old, signal);
    }
  }
}

/** Removes what was imported from a cluster that does not belong to the fleet any more. */
export async function unimport(
  { hub, imports }: Pick<ImporterOptions, "hub" | "imports">,
  cluster: string,
  signal: AbortSignal,
): Promise<void> {
  for (const old of imports.byIndex("cluster", cluster)) await deleteExactly(hub, IMPORTS, old, signal);
}

function imported(name: string, uid: string, spec: ImportSpec): ImportObject {
  const object: KubernetesObject & { spec: ImportSpec } = {
    metadata: {
      name,
      labels: { "app.kubernetes.io/managed-by": "fleetwright" },
      // With the Cluster its imports go, also while no controller of ours runs.
      ownerReferences: [{ apiVersion: "fleetwright.dev/v1", kind: "Cluster", name: spec.cluster, uid }],
    },
    spec,
  };
  // The server fills in the defaults, so what is written may leave them out.
  return object as ImportObject;
}
