import { isObject, parseJson } from "../../../lib/json";
import { readIfPresent, writePrivateSync } from "../../../lib/files";

/** A JSON object as EKS's API has it. */
export type Fields = Record<string, unknown>;

/** An object without some of its fields. */
export function without(fields: Readonly<Fields>, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** An update of a cluster or a node group. */
export interface Update {
  id: string;
  type: string;
  params: { type: string; value: string }[];
  createdAt: number;
}

/** What is known about one cluster beyond what moto keeps. */
export interface ClusterRecord {
  /** Replaces or completes what moto says about the cluster. */
  settings: Fields;
  /** The same for node groups, by name. */
  nodegroups: Record<string, Fields>;
  addons: Record<string, Fields>;
  /** By principal. */
  accessEntries: Record<string, Fields>;
  /** By principal, then by policy. */
  accessPolicies: Record<string, Record<string, Fields>>;
  podIdentities: Record<string, Fields>;
  /** By name. */
  identityProviders: Record<string, Fields>;
  updates: Record<string, Update>;
}

/** The part of EKS that moto lacks, kept in one file. */
export class EksStore {
  private constructor(
    readonly clusters: Record<string, ClusterRecord>,
    readonly file: string | undefined,
  ) {}

  /** Reads the store; without a file it lives in memory. */
  static async open(file: string | undefined): Promise<EksStore> {
    const found = parseJson((file === undefined ? undefined : await readIfPresent(file)) ?? "{}");
    return new EksStore(isObject(found) ? Object.fromEntries(Object.entries(found).map(complete)) : {}, file);
  }

  /** The record of a cluster, made on demand: moto says whether the cluster exists. */
  cluster(name: string): ClusterRecord {
    return (this.clusters[name] ??= emptyRecord());
  }

  /** Forgets a cluster, or begins it anew. */
  forget(name: string): void {
    this.clusters[name] = emptyRecord();
    Reflect.deleteProperty(this.clusters, name);
  }

  /** Writes the store, whole or not at all. */
  save(): void {
    if (this.file !== undefined) writePrivateSync(this.file, JSON.stringify(this.clusters));
  }
}

function emptyRecord(): ClusterRecord {
  return {
    settings: {},
    nodegroups: {},
    addons: {},
    accessEntries: {},
    accessPolicies: {},
    podIdentities: {},
    identityProviders: {},
    updates: {},
  };
}

// The file is ours and written whole; parts that a newer version added are filled in.
function complete([name, value]: [string, unknown]): [string, ClusterRecord] {
  return [name, Object.assign(emptyRecord(), isObject(value) ? value : {})];
}
