// Whose an object in a member is, by its label and annotations. Pure.
import type { KubernetesObject, ObjectMeta } from "../runtime";
import type { Manifest } from "../workload";
import {
  CLUSTER_ANNOTATION,
  HASH_ANNOTATION,
  HUB_ANNOTATION,
  HUB_OWNER,
  OWNER_LABEL,
  SHARE_ANNOTATION,
} from "./names";

/** Who we are to a member. */
export interface Placement {
  hub: string;
  cluster: string;
  share: string;
}

/** The manifest with what says whose it is. */
export function marked(manifest: Manifest, { hub, cluster, share }: Placement, hash: string): Manifest {
  const { labels, annotations, ...metadata } = manifest.metadata;
  return {
    ...manifest,
    metadata: {
      ...metadata,
      labels: { ...labels, [OWNER_LABEL]: HUB_OWNER },
      annotations: {
        ...annotations,
        [HUB_ANNOTATION]: hub,
        [CLUSTER_ANNOTATION]: cluster,
        [SHARE_ANNOTATION]: share,
        [HASH_ANNOTATION]: hash,
      },
    },
  };
}

/** Why an object is not ours to change, in a sentence; undefined if it is. */
export function objection(
  object: KubernetesObject & { metadata: ObjectMeta },
  { hub, cluster, share }: Placement,
): string | undefined {
  const { labels = {}, annotations = {} } = object.metadata;
  const owner = labels[OWNER_LABEL];
  if (annotations[HUB_ANNOTATION] === undefined) {
    // Whoever puts the label on it hands it over.
    if (owner === HUB_OWNER) return undefined;
    return owner === undefined
      ? `it was there before and nobody handed it over: delete it, or hand it over by the label ${OWNER_LABEL}=${HUB_OWNER} on it`
      : `its owner is ${JSON.stringify(owner)} (label ${OWNER_LABEL}): change it there, or hand it over by the label ${OWNER_LABEL}=${HUB_OWNER}`;
  }
  if (annotations[HUB_ANNOTATION] !== hub)
    return `it came from another hub, ${annotations[HUB_ANNOTATION]}: unregister the cluster there, or delete the object`;
  if (annotations[CLUSTER_ANNOTATION] !== cluster)
    return `it came from this hub under another cluster, ${JSON.stringify(annotations[CLUSTER_ANNOTATION])}: unregister that one`;
  if (annotations[SHARE_ANNOTATION] !== share)
    return `it came by another Share, ${JSON.stringify(annotations[SHARE_ANNOTATION])}: remove that one first`;
  return undefined;
}

/** The hash of the manifest that was applied last. */
export function appliedHashOf({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[HASH_ANNOTATION];
}
