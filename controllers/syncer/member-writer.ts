// Writes into the member: server-side apply without force, namespaces that are lacking, and deletions of the very object.
import {
  ApiError,
  Applier,
  isAlreadyExists,
  isNotFound,
  keyOf,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../runtime";
import type { Manifest } from "../workload";
import { NAMESPACES } from "./kinds";
import { FIELD_MANAGER, HUB_OWNER, OWNER_LABEL } from "./names";

/** Writes objects into one member. */
export class MemberWriter {
  readonly #client: ApiClient;
  readonly #applier: Applier;

  constructor(client: ApiClient) {
    this.#client = client;
    this.#applier = new Applier(client, FIELD_MANAGER);
  }

  /** Applies a manifest; makes its namespace first if there is none. Throws an ApplyConflictError. */
  async apply(
    resource: Resource,
    manifest: Manifest,
    { force = false }: { force?: boolean },
    signal: AbortSignal,
  ): Promise<KubernetesObject> {
    const apply = async (): Promise<KubernetesObject> =>
      (await this.#applier.apply<KubernetesObject>(resource, manifest, { force, signal })).object;
    try {
      return await apply();
    } catch (error) {
      const { namespace } = manifest.metadata;
      if (!isNotFound(error) || namespace === undefined || !resource.namespaced) throw error;
      await this.#makeNamespace(namespace, signal);
      return await apply();
    } finally {
      // It is remembered by the Share; a second memory of manifests would cost as much as the first.
      this.#applier.forget(resource, keyOf(manifest));
    }
  }

  /** The object as it is now. */
  async find(
    resource: Resource,
    { name, namespace }: { name: string; namespace?: string | undefined },
    signal: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    try {
      return await this.#client.get(resource, { name, namespace }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  /** Deletes exactly this object. */
  async delete(resource: Resource, { metadata }: KubernetesObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.delete(resource, metadata, { uid: metadata.uid }, signal);
    } catch (error) {
      // Gone, or another took its name, which the next look tells.
      if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error;
    }
  }

  /** Gives up every field of an object that turned out to be somebody else's. */
  async giveUp(resource: Resource, { metadata }: KubernetesObject, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = metadata;
    const identity = {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
    };
    await this.#applier.apply<KubernetesObject>(resource, { metadata: identity }, { signal });
  }

  async #makeNamespace(name: string, signal: AbortSignal): Promise<void> {
    const labels = { [OWNER_LABEL]: HUB_OWNER };
    try {
      await this.#client.create(NAMESPACES, { metadata: { name, labels } }, signal);
    } catch (error) {
      // Another Share of the same namespace may have been faster.
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** Whether a server refused what was to be applied for what it is, so that trying again would not help. */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  if ([400, 403, 405, 413, 415, 422].includes(error.code)) return true;
  // Server-side apply answers so when a field is not in the schema.
  return error.code === 500 && /failed to create (?:typed|manager for)/.test(error.status.message ?? "");
}
