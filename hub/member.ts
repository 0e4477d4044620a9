// What the commands of the hub do in a member, by a kubeconfig that a person gives.
import { KubeConfig } from "@kubernetes/client-node";
import { ApiClient, Applier, credentialsOf, isNotFound } from "../controllers/runtime";
import { Failure } from "../lib/failure";
import type { InstalledObject } from "./install";

const FIELD_MANAGER = "fleetwright-register";

/** A client of a member. */
export function memberClientOf(file: string, context?: string): ApiClient {
  const config = new KubeConfig();
  config.loadFromFile(file);
  if (context !== undefined) config.setCurrentContext(context);
  if (config.getCurrentCluster() === null)
    throw new Failure(`${file} has no such context, or none is current: name one by --member-context.`);
  return new ApiClient(credentialsOf(config), { userAgent: "fleetwright-hub" });
}

/** Applies objects in a member, in their order. */
export async function applyTo(
  file: string,
  context: string | undefined,
  objects: readonly InstalledObject[],
  signal: AbortSignal,
): Promise<void> {
  const client = memberClientOf(file, context);
  try {
    const applier = new Applier(client, FIELD_MANAGER);
    for (const { resource, object } of objects)
      await applier.apply(resource, object, { force: true, signal });
  } finally {
    client.close();
  }
}

/** Deletes objects from a member, the last first; namespaces stay, since they hold what is others'. */
export async function deleteFrom(
  client: ApiClient,
  objects: readonly Pick<InstalledObject, "resource" | "object">[],
  signal: AbortSignal,
): Promise<void> {
  for (const { resource, object } of [...objects].reverse()) {
    if (resource.kind === "Namespace") continue;
    await client.delete(resource, object.metadata, {}, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
