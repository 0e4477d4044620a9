import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { isAlreadyExists, isNotFound, resourcePath, type ApiClient, type Informer } from "../../runtime";
import { derivedName } from "../derived-name";
import type { PluginObject } from "../kinds";
import { SECRETS, type Secret } from "../native-resources";
import { MANAGED_BY, PRODUCT } from "../../app/ownership";
import { timestamp } from "../timestamp";
import type { Manifest } from "./manifest";
import { pluginLabel } from "./rest-mapping";
import { InstallError } from "./install-error";

/** Says on a Secret that it is the record of a Plugin's revision, and of which Plugin. */
export const RECORD_LABEL = "fleetwright.dev/plugin-record";
/** Selects all records. */
export const RECORD_SELECTOR = `${MANAGED_BY}=${PRODUCT},${RECORD_LABEL}`;
const TYPE = "fleetwright.dev/plugin-revision";
const MAX_RECORD = 1_000_000;

type PluginStatus = NonNullable<PluginObject["status"]>;
/** How a job went, as it stands in status. */
export type JobStatus = NonNullable<PluginStatus["jobs"]>[number];
/** How a job went; with the uid of its Job, to distinguish one that was deleted from one that was never created. */
export type JobRecord = JobStatus & { uid: string };

/** What a Plugin wants to be installed. */
export interface Desired {
  version: string;
  /** Where manifests go that name no namespace. */
  namespace: string;
  /** Of what it was made from: as long as it stays, nothing needs to be fetched again. */
  fingerprint: string;
  rollback: boolean;
  objects: Manifest[];
}

/** How far a revision is. */
export interface Progress {
  outcome: "InProgress" | "Succeeded" | "Failed";
  appliedAt: string;
  jobs: JobRecord[];
}

/** One revision of a Plugin. Written before anything of it is applied, it is also the list of all that may have to go. */
export interface Revision extends Desired {
  revision: number;
  /** The SHA-256 of the objects. */
  digest: string;
  progress: Progress;
  secret: Secret;
}

/** The SHA-256 of objects as they are applied. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(value)).digest("hex")}`;
}

/** Keeps the revisions of all Plugins in Secrets of the product's namespace: they may hold values out of Secrets. */
export class Revisions {
  readonly #client: ApiClient;
  readonly #home: string;
  readonly #informer: Informer<Secret>;
  readonly #parsed = new WeakMap<Secret, Revision>();

  constructor(client: ApiClient, home: string, informer: Informer<Secret>) {
    this.#client = client;
    this.#home = home;
    this.#informer = informer;
    informer.addIndex("plugin", ({ metadata }) => {
      const plugin = metadata.labels?.[RECORD_LABEL];
      return plugin === undefined ? [] : [plugin];
    });
  }

  /** The revisions of a Plugin, oldest first. */
  of(plugin: string): Revision[] {
    return this.#informer
      .byIndex("plugin", pluginLabel(plugin))
      .flatMap((secret) => this.#parse(secret))
      .sort((a, b) => a.revision - b.revision);
  }

  /** The same straight from the server: what the cache does not show yet must not be left behind. */
  async fresh(plugin: string, signal: AbortSignal): Promise<Revision[]> {
    const { items } = await this.#client.request<{ items: Secret[] }>({
      method: "GET",
      path: resourcePath(SECRETS, { namespace: this.#home }),
      query: { labelSelector: `${MANAGED_BY}=${PRODUCT},${RECORD_LABEL}=${pluginLabel(plugin)}` },
      signal,
    });
    return items.flatMap((secret) => this.#parse(secret));
  }

  async add(
    plugin: PluginObject,
    revision: number,
    desired: Desired,
    now: number,
    signal: AbortSignal,
  ): Promise<Revision> {
    const { name } = plugin.metadata;
    const digest = digestOf(desired.objects);
    const progress: Progress = { outcome: "InProgress", appliedAt: timestamp(now), jobs: [] };
    const packed = gzipSync(JSON.stringify({ ...desired, revision, digest })).toString("base64");
    if (packed.length > MAX_RECORD)
      throw new InstallError(
        "SourceTooLarge",
        `The manifests take ${packed.length} bytes compressed; at most ${MAX_RECORD} are allowed. Split the plugin in two.`,
      );
    // Without an owner: a deletion in the foreground would take the records before what they tell of.
    const secret: Secret = {
      metadata: {
        namespace: this.#home,
        name: derivedName("fleetwright-plugin-", `${name}.r${revision}`),
        labels: { [MANAGED_BY]: PRODUCT, [RECORD_LABEL]: pluginLabel(name) },
      },
      type: TYPE,
      data: { revision: packed, progress: encoded(progress) },
    };
    try {
      const made = await this.#client.create(SECRETS, secret, signal);
      return { ...desired, revision, digest, progress, secret: made };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Our own from just before, which the cache does not show yet; or one that somebody put there.
      throw new InstallError(
        "RecordExists",
        `There is a Secret ${this.#home}/${secret.metadata.name} already. If it stays, delete it.`,
        true,
      );
    }
  }

  /** Writes how far a revision is, if that changed. */
  async note(revision: Revision, progress: Progress, signal: AbortSignal): Promise<Revision> {
    const text = encoded(progress);
    const { secret } = revision;
    if (secret.data?.progress === text) return revision;
    const { uid, resourceVersion } = secret.metadata;
    const body = { metadata: { uid, resourceVersion }, data: { progress: text } };
    const made = await this.#client.patch(SECRETS, secret.metadata, body, { signal });
    return { ...revision, progress, secret: made };
  }

  async drop({ secret }: Revision, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete(SECRETS, secret.metadata, { uid: secret.metadata.uid }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  // What somebody else put there under our label is nobody's record, and harms no other.
  #parse(secret: Secret): Revision[] {
    const known = this.#parsed.get(secret);
    if (known !== undefined) return [known];
    const { revision, progress } = secret.data ?? {};
    if (secret.type !== TYPE || revision === undefined || progress === undefined) return [];
    try {
      const content = JSON.parse(
        gunzipSync(Buffer.from(revision, "base64"), { maxOutputLength: 2 ** 26 }).toString("utf8"),
      ) as Omit<Revision, "progress" | "secret">;
      const state = JSON.parse(Buffer.from(progress, "base64").toString("utf8")) as Progress;
      const parsed = { ...content, progress: state, secret };
      this.#parsed.set(secret, parsed);
      return [parsed];
    } catch {
      return [];
    }
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}
