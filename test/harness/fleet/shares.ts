// Shares as the hub's controllers would write them, for tests of the syncer alone.
import { createHash } from "node:crypto";
import { crdOf, HUB_KIND_NAMES, type HubKindName } from "../../../api";
import { clusterNamespace } from "../../../api/hub";
import { NAMESPACES, SHARES, type ShareObject } from "../../../controllers/syncer/kinds";
import { REMOVE } from "../../../controllers/syncer/names";
import type { KubernetesObject, Resource } from "../../../controllers/runtime";
import { waitFor } from "../fault-proxy";
import type { FleetServer } from "./server";

interface Definition extends KubernetesObject {
  spec?: object;
  status?: { conditions?: { type: string; status: string }[] };
}

/** Definitions of kinds. */
export const CRDS: Resource<Definition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** Makes kinds on a hub, and waits until they are served. */
export async function installHubKinds(
  { direct }: FleetServer,
  names: readonly HubKindName[] = HUB_KIND_NAMES,
): Promise<void> {
  for (const name of names) await direct.create(CRDS, crdOf(name));
  for (const name of names)
    await waitFor(`the kind ${name}`, async () =>
      (await direct.get(CRDS, crdOf(name).metadata)).status?.conditions?.some(
        ({ type, status }) => type === "Established" && status === "True",
      ),
    );
}

/** The Shares of one cluster on a hub. */
export class ShareProbe {
  constructor(
    readonly hub: FleetServer,
    readonly cluster: string,
  ) {}

  get namespace(): string {
    return clusterNamespace(this.cluster);
  }

  /** Makes the cluster's namespace. */
  async open(): Promise<void> {
    await this.hub.direct.create(NAMESPACES, { metadata: { name: this.namespace } });
  }

  /** Writes a Share of an object; the manifest is the object itself. */
  async put(name: string, manifest: KubernetesObject & object, generation = 1): Promise<ShareObject> {
    const known = await this.get(name);
    const spec = specOf(manifest, generation);
    if (known === undefined)
      return this.hub.direct.create(SHARES, {
        metadata: { name, namespace: this.namespace },
        spec,
      });
    return this.hub.direct.patch(SHARES, known.metadata, {
      spec: { manifest: spec.manifest, hash: spec.hash },
    });
  }

  get(name: string): Promise<ShareObject | undefined> {
    return this.hub.find(SHARES, { namespace: this.namespace, name });
  }

  /** Deletes a Share, with its object in the member, as the hub does when its root goes. */
  async remove(name: string, annotations: Record<string, string> = { [REMOVE]: "true" }): Promise<void> {
    const ref = { namespace: this.namespace, name };
    if (Object.keys(annotations).length > 0)
      await this.hub.direct.patch(SHARES, ref, { metadata: { annotations } });
    await this.hub.direct.delete(SHARES, ref);
  }

  /** Waits until a condition has a status and a reason; gives its message. */
  async says(name: string, type: string, reason: string, timeoutMs = 60_000): Promise<string> {
    let last = "nothing";
    try {
      const found = await waitFor(
        `${type} of ${name} to say ${reason}`,
        async () => {
          const share = await this.get(name);
          const condition = share?.status?.conditions?.find((one) => one.type === type);
          last = `${condition?.reason ?? ""}: ${condition?.message ?? ""}`;
          const isCurrent = share?.status?.observedGeneration === share?.metadata.generation;
          return condition?.reason === reason && isCurrent ? condition : undefined;
        },
        timeoutMs,
      );
      return found?.message ?? "";
    } catch (error) {
      throw new Error(`${String(error)} It says ${last}`, { cause: error });
    }
  }

  /** Waits until a Share is gone. */
  async gone(name: string, timeoutMs = 60_000): Promise<void> {
    await waitFor(`the Share ${name} to go`, async () => (await this.get(name)) === undefined, timeoutMs);
  }
}

/** The spec of a Share whose manifest is an object as it stands. */
export function specOf(manifest: KubernetesObject & object, generation = 1): ShareObject["spec"] {
  const text = JSON.stringify(manifest);
  const { namespace, name } = manifest.metadata;
  return {
    root: {
      apiVersion: manifest.apiVersion ?? "",
      kind: manifest.kind ?? "",
      ...(namespace === undefined ? {} : { namespace }),
      name,
      uid: "00000000-0000-0000-0000-000000000000",
      generation,
    },
    manifest: text,
    hash: createHash("sha256").update(text).digest("hex"),
    phase: "Active",
  };
}
