// Registers the controllers that import the kinds of clusters, and negotiate and serve each of them.
import { GROUP, negotiatedName } from "../../../api";
import type { ControllerDefinition } from "../../app/controller-definition";
import {
  keepManagedFieldsOf,
  type ApiClient,
  type Informer,
  type Manager,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { clustersIn, definitionsIn } from "../informers";
import type { ClusterObject } from "../kinds";
import { Importer, unimport } from "./importer";
import { IMPORTS, NEGOTIATED, type Definition, type ImportObject } from "./kinds";
import { kubeconfigOf, memberClient } from "./member";
import { Negotiator } from "./negotiator";
import { Schemas } from "./schemas";
import { SERVED_ROLE_RULES, ServedRights } from "./served-rights";

/** What the program gives it. */
export interface ApisContext {
  manager: Manager;
  client: ApiClient;
  concurrency: number;
  /** How often a cluster is asked whether its kinds changed. @default 30000 */
  pullEveryMs?: number | undefined;
}

const MANAGED = "app.kubernetes.io/managed-by=fleetwright";
const PULL_EVERY_MS = 30_000;
const keepOurs = keepManagedFieldsOf("fleetwright-apis");

/** Imports, negotiates and serves kinds. */
export const apis: ControllerDefinition<ApisContext> = {
  name: "apis",
  description: "kinds of clusters: imports, negotiation, definitions on the hub",
  rules: [
    { apiGroups: [GROUP], resources: ["clusters"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["apischemas"], verbs: ["get", "create"] },
    {
      apiGroups: [GROUP],
      resources: ["apiresourceimports", "negotiatedapiresources"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
    {
      apiGroups: [GROUP],
      resources: ["apiresourceimports/status", "negotiatedapiresources/status"],
      verbs: ["patch"],
    },
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
    // Objects of what is published are read and placed by the rights of a role that is kept for it.
    ...SERVED_ROLE_RULES,
  ],
  namespacedRules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  start({ manager, client, concurrency, pullEveryMs = PULL_EVERY_MS }: ApisContext): void {
    const { cache } = manager;
    const schemas = new Schemas(client);
    const clusters = clustersIn(cache);
    const imports = cache.informer(IMPORTS, { labelSelector: MANAGED, transform: keepOurs });
    const negotiated = cache.informer(NEGOTIATED, { transform: keepOurs });
    const definitions = definitionsIn(cache);
    imports.addIndex("cluster", ({ spec }) => [spec.cluster]);
    imports.addIndex("resource", ({ spec }) => [negotiatedName(spec)]);

    const importing = new Importing({ client, schemas, imports, clusters, pullEveryMs });
    // All imports have to be known before one can be distinguished from a new one.
    const importer = manager
      .controller({
        name: "imports",
        concurrency,
        reconcile: (name, context) => importing.reconcile(name, context),
      })
      .watches(imports, () => []);
    clusters.onChange(({ key, before, after }) => {
      // A heartbeat changes status, which says nothing about kinds.
      if (
        before?.metadata.generation !== after?.metadata.generation ||
        before?.metadata.uid !== after?.metadata.uid
      )
        importer.queue.add(key);
    });

    const rights = new ServedRights(client, definitions);
    manager
      .controller({
        name: "served-rights",
        concurrency: 1,
        async reconcile(_key, { signal }) {
          await rights.reconcile(signal);
          return undefined;
        },
      })
      .watches(definitions, () => ["all"]);

    const negotiator = new Negotiator({ hub: client, schemas, imports, negotiated, definitions });
    const { queue } = manager
      .controller({
        name: "apis",
        concurrency,
        reconcile: (name, context) => negotiator.reconcile(name, context),
      })
      .watches(negotiated)
      .watches(definitions, (definition) => namesOf(definition));
    imports.onChange(({ before, after }) => {
      // What we say in status ourselves is no reason to look again.
      if (
        before?.metadata.generation === after?.metadata.generation &&
        before?.metadata.uid === after?.metadata.uid
      )
        return;
      for (const one of [before, after]) if (one !== undefined) queue.add(negotiatedName(one.spec));
    });
  },
};

function namesOf({ spec }: Definition): string[] {
  return spec.versions.map(({ name }) =>
    negotiatedName({ group: spec.group, version: name, resource: spec.names.plural }),
  );
}

interface ImportingOptions {
  client: ApiClient;
  schemas: Schemas;
  imports: Informer<ImportObject>;
  clusters: Informer<ClusterObject>;
  pullEveryMs: number;
}

/** Imports from each accepted cluster that the hub calls, with one client for as long as its kubeconfig is the same. */
class Importing {
  readonly #options: ImportingOptions;
  readonly #running = new Map<string, { kubeconfig: string; member: ApiClient; importer: Importer }>();

  constructor(options: ImportingOptions) {
    this.#options = options;
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { clusters, client, schemas, imports, pullEveryMs } = this.#options;
    const cluster = clusters.get(name);
    const gone =
      cluster === undefined || cluster.metadata.deletionTimestamp !== undefined || !cluster.spec.accepted;
    // With the Cluster its imports go by themselves; what it says counts for the fleet only while it belongs to it.
    if (cluster?.spec.accepted === false) await unimport({ hub: client, imports }, name, signal);
    const kubeconfig = gone ? undefined : await kubeconfigOf(client, cluster, signal);
    if (gone || kubeconfig === undefined) {
      this.#forget(name);
      return undefined;
    }
    let running = this.#running.get(name);
    if (running?.kubeconfig !== kubeconfig) {
      this.#forget(name);
      const member = memberClient(kubeconfig, client);
      running = { kubeconfig, member, importer: new Importer({ hub: client, member, schemas, imports }) };
      this.#running.set(name, running);
    }
    const { uid = "" } = cluster.metadata;
    await running.importer.sync({ name, uid, wanted: cluster.spec.imports }, signal);
    return { requeueAfterMs: pullEveryMs };
  }

  #forget(name: string): void {
    this.#running.get(name)?.member.close();
    this.#running.delete(name);
  }
}
