// Server-side apply: writes only what differs, and names the managers of fields in conflict.
import type { ApiClient } from "./api-client";
import { ApiError } from "./api-error";
import { isUpToDate } from "./managed-fields";
import { apiVersionOf, keyOf, resourceName, type KubernetesObject, type Resource } from "./object";

/** How an object is applied. */
export interface ApplyOptions<T> {
  /** The object as the cache has it. With it, an apply that would change nothing is not sent. */
  live?: T | undefined;
  /** Takes fields over from other managers instead of failing. @default false */
  force?: boolean;
  subresource?: string;
  signal?: AbortSignal;
}

/** A field that another manager owns. */
export interface FieldConflict {
  field: string;
  manager: string;
}

/** Others manage fields that were to be applied. */
export class ApplyConflictError extends Error {
  override readonly name = "ApplyConflictError";

  constructor(
    what: string,
    fieldManager: string,
    readonly conflicts: readonly FieldConflict[],
    options?: ErrorOptions,
  ) {
    const list = conflicts.map(({ field, manager }) => `  ${field} is managed by ${JSON.stringify(manager)}`);
    super(
      `${what} was not applied by ${JSON.stringify(fieldManager)}, because others manage some of its fields:\n${list.join("\n")}\n` +
        "Leave these fields out of what is applied, let the other manager give them up, or apply with force to take them over.",
      options,
    );
  }
}

/** Server-side apply in the name of one manager: it owns what it applies, and nothing else. */
export class Applier {
  readonly fieldManager: string;
  readonly #client: ApiClient;
  /** What was last applied and what came of it, so that the server's own additions do not look like drift. */
  readonly #applied = new Map<string, { desired: string; resourceVersion: string | undefined }>();

  constructor(client: ApiClient, fieldManager: string) {
    this.#client = client;
    this.fieldManager = fieldManager;
  }

  /** Applies an object. Says whether a request was needed, and gives the object as it is then. */
  async apply<T extends KubernetesObject>(
    resource: Resource<T>,
    desired: T,
    { live, force = false, subresource, signal }: ApplyOptions<T> = {},
  ): Promise<{ object: T; sent: boolean }> {
    const body = { ...desired, apiVersion: apiVersionOf(resource), kind: resource.kind };
    const key = `${resourceName(resource)}/${keyOf(desired)}/${subresource ?? ""}`;
    const text = JSON.stringify(body);
    if (live !== undefined && this.#isDone(key, text, body, live, subresource))
      return { object: live, sent: false };
    try {
      const object = await this.#client.patch(resource, desired.metadata, body, {
        type: "apply",
        query: { fieldManager: this.fieldManager, force, fieldValidation: "Strict" },
        signal,
        ...(subresource === undefined ? {} : { subresource }),
      });
      this.#applied.set(key, { desired: text, resourceVersion: object.metadata.resourceVersion });
      return { object, sent: true };
    } catch (error) {
      const conflicts = conflictsIn(error);
      if (conflicts.length === 0) throw error;
      throw new ApplyConflictError(`${resource.kind} ${keyOf(desired)}`, this.fieldManager, conflicts, {
        cause: error,
      });
    }
  }

  /** Forgets an object that is gone. */
  forget(resource: Resource, key: string): void {
    for (const subresource of ["", "status"])
      this.#applied.delete(`${resourceName(resource)}/${key}/${subresource}`);
  }

  #isDone(
    key: string,
    text: string,
    desired: KubernetesObject,
    live: KubernetesObject,
    subresource: string | undefined,
  ): boolean {
    const last = this.#applied.get(key);
    if (last?.desired === text && last.resourceVersion === live.metadata.resourceVersion) return true;
    return isUpToDate(desired, live, this.fieldManager, subresource);
  }
}

/** Deletes an object only if it is still the very one that was looked at. Gone already is fine. */
export async function deleteExactly(
  client: ApiClient,
  resource: Resource,
  { metadata }: KubernetesObject,
  signal?: AbortSignal,
): Promise<void> {
  if (metadata.uid === undefined) {
    throw new Error(
      `${resource.kind} ${metadata.name} has no uid: delete only what was read from the server.`,
    );
  }
  try {
    await client.delete(resource, metadata, { uid: metadata.uid }, signal);
  } catch (error) {
    // Gone, or another object took its name: either way the one that was meant is no more.
    if (error instanceof ApiError && (error.code === 404 || error.code === 409)) return;
    throw error;
  }
}

function conflictsIn(error: unknown): FieldConflict[] {
  if (!(error instanceof ApiError) || error.code !== 409) return [];
  return (error.status.details?.causes ?? [])
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field, message }) => ({
      field: field ?? "(a field that the server did not name)",
      manager: /conflict with "((?:[^"\\]|\\.)*)"/.exec(message ?? "")?.[1] ?? message ?? "another manager",
    }));
}
