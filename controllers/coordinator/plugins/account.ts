// A client that acts with the rights of the service account that a Plugin names.
import { createHash } from "node:crypto";
import {
  Applier,
  isNotFound,
  isUpToDate,
  resourcePath,
  type ApiClient,
  type KubernetesObject,
  type ObjectRef,
  type Resource,
} from "../../runtime";
import { MANAGED_BY } from "../../app/ownership";
import type { ControllerContext } from "../controller-context";
import { nameOf, without, type Manifest } from "./manifest";
import { isWorkload } from "./install-order";
import { FIELD_MANAGER, isOf, PLUGIN_LABEL, type MappedManifest } from "./rest-mapping";
import type { InstallFailure } from "./install-error";
import { failureOf } from "./api-failure";
import type { AccountName } from "./permissions";

/** What came of keeping an object: as it is now, or why it is not as wanted. */
export interface Kept {
  live?: KubernetesObject;
  problem?: InstallFailure;
}

/** Installs and removes objects with the rights of one service account, and with no others. */
export class Account {
  /** For questions and trials that change nothing. */
  readonly reader: ApiClient;
  readonly name: AccountName;
  readonly #client: ApiClient;
  readonly #applier: Applier;
  /** What was applied last and what came of it, without what others write all the time. */
  readonly #settled = new Map<string, string>();

  constructor({ client, manager }: ControllerContext, name: AccountName) {
    const user = `system:serviceaccount:${name.namespace}:${name.name}`;
    this.name = name;
    this.reader = manager.reader.actingAs(user);
    this.#client = client.actingAs(user);
    this.#applier = new Applier(this.#client, FIELD_MANAGER);
  }

  /** An object as it is now. */
  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    try {
      return await this.reader.get(resource, ref, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Looks at an object without changing it. */
  async inspect(plugin: string, { manifest, resource }: MappedManifest, signal: AbortSignal): Promise<Kept> {
    try {
      const live = await this.get(resource, manifest.metadata, signal);
      if (live !== undefined && !isOf(plugin, live)) return { problem: foreign(manifest, live) };
      return live === undefined ? {} : { live };
    } catch (error) {
      return { problem: this.#problem(error, manifest, resource) };
    }
  }

  /** Applies an object, unless it is as wanted. One of somebody else is left alone. */
  async keep(plugin: string, mapped: MappedManifest, signal: AbortSignal): Promise<Kept> {
    const { manifest, resource, id } = mapped;
    const seen = await this.inspect(plugin, mapped, signal);
    const { live } = seen;
    if (seen.problem !== undefined) return seen;
    if (live?.metadata.deletionTimestamp !== undefined)
      return {
        live,
        problem: {
          reason: "Deleting",
          message: `${nameOf(manifest)} is being deleted, and will be created again afterwards.`,
          transient: true,
        },
      };
    const wanted = hash(manifest);
    if (
      live !== undefined &&
      (this.#settled.get(id) === wanted + shapeOf(live) || isUpToDate(manifest, live, FIELD_MANAGER))
    )
      return { live };
    const uid = live?.metadata.uid;
    const body: Manifest =
      uid === undefined ? manifest : { ...manifest, metadata: { ...manifest.metadata, uid } };
    try {
      const { object } = await this.#applier.apply<KubernetesObject>(resource, body, { signal });
      if (live === undefined && isShared(object))
        return { problem: await this.#release(mapped, object, signal) };
      this.#settled.set(id, wanted + shapeOf(object));
      return { live: object };
    } catch (error) {
      return { ...(live === undefined ? {} : { live }), problem: this.#problem(error, manifest, resource) };
    }
  }

  /** Makes an object that must not be there yet; gives the one that is. */
  async create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    signal: AbortSignal,
  ): Promise<T> {
    return this.#client.create(resource, object, signal);
  }

  /** Deletes the very object that was looked at. */
  async delete(resource: Resource, live: KubernetesObject, signal: AbortSignal): Promise<void> {
    const { uid } = live.metadata;
    if (uid === undefined)
      throw new Error(`${resource.kind} ${live.metadata.name} has no uid and is not deleted.`);
    // Pods are gone before what they need goes.
    const propagationPolicy = isWorkload({ apiVersion: live.apiVersion ?? "", kind: live.kind ?? "" })
      ? "Foreground"
      : "Background";
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid }, propagationPolicy };
    try {
      await this.#client.request({
        method: "DELETE",
        path: resourcePath(resource, live.metadata),
        body,
        signal,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** What a refusal means for an object; throws what is not about the object. */
  #problem(error: unknown, manifest: Manifest, resource: Resource): InstallFailure {
    const problem = failureOf(error, manifest, resource, this.name);
    if (problem === undefined) throw error;
    return problem;
  }

  /** Somebody made an object of that name just before us: what we put on it is taken off again. */
  async #release(
    { manifest, resource }: MappedManifest,
    object: KubernetesObject,
    signal: AbortSignal,
  ): Promise<InstallFailure> {
    const { name, namespace, uid } = object.metadata;
    const bare = {
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
      },
    };
    await this.#applier.apply<KubernetesObject>(resource, bare, { signal });
    return foreign(manifest, object);
  }
}

function isShared({ metadata }: KubernetesObject): boolean {
  return (metadata.managedFields ?? []).some(({ manager }) => manager !== FIELD_MANAGER);
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}

// Status and versions change all the time and are not ours.
function shapeOf(live: KubernetesObject): string {
  const whole: KubernetesObject & { status?: unknown } = live;
  const { metadata, ...rest } = without(whole, "status");
  const { uid, generation, labels, annotations, finalizers } = metadata;
  const ours = metadata.managedFields?.filter(({ manager }) => manager === FIELD_MANAGER);
  return hash({ rest, uid, generation, labels, annotations, finalizers, ours });
}

function foreign(manifest: Manifest, { metadata }: KubernetesObject): InstallFailure {
  const plugin = metadata.labels?.[PLUGIN_LABEL];
  const tool = metadata.labels?.[MANAGED_BY];
  const owner = metadata.ownerReferences?.[0];
  const managers = [...new Set((metadata.managedFields ?? []).map(({ manager = "" }) => manager))]
    .slice(0, 3)
    .join(", ");
  const whose =
    plugin !== undefined
      ? `the Plugin ${plugin} installed it`
      : owner !== undefined
        ? `${owner.kind} ${owner.name} owns it`
        : tool !== undefined
          ? `it is managed by ${tool}`
          : `it was written by ${managers || "somebody else"}`;
  return {
    reason: "ForeignObject",
    message: `${nameOf(manifest)} is there already, but not from this Plugin: ${whose}. It is left alone: delete it, leave it out of the manifests, or hand it over by the labels that docs/plugins.md names.`,
  };
}
