// Decides what a Share needs, from the Share, the object in the member and what is remembered. Pure.
import { equal, type FieldSet, type KubernetesObject } from "../runtime";
import type { Manifest } from "../workload";
import type { ShareObject } from "./kinds";
import { FIELD_MANAGER } from "./names";
import { appliedHashOf } from "./ours";
import { fieldsOf, hasField, missingPaths } from "./owned-fields";

/** What was owned after the last apply by this process. */
export interface Applied {
  hash: string;
  fields: FieldSet | undefined;
}

/** What to do with the object in the member. */
export type Need =
  | { what: "nothing" }
  /** The manifest is new or another. */
  | { what: "apply" }
  /** Others took fields of a manifest that was applied. */
  | { what: "heal"; lost: readonly string[] };

/** What an object that is ours needs. */
export function needOf(
  share: ShareObject,
  manifest: Manifest,
  live: KubernetesObject,
  known: Applied | undefined,
): Need {
  if (appliedHashOf(live) !== share.spec.hash) return { what: "apply" };
  const fields = fieldsOf(live, FIELD_MANAGER);
  if (known?.hash === share.spec.hash && equal(known.fields, fields)) return { what: "nothing" };
  const lost = missingPaths(manifest, fields).filter((path) => !isDropped(share, path));
  return lost.length === 0 ? { what: "nothing" } : { what: "heal", lost };
}

// What the member did not keep cannot be owned either.
function isDropped(share: ShareObject, path: string): boolean {
  return (share.status?.dropped ?? []).some((text) => {
    const dropped = text.split(": was ", 1)[0] ?? "";
    return path === dropped || path.startsWith(`${dropped}.`) || path.startsWith(`${dropped}[`);
  });
}

/** Whether fields that others manage now were ours: only such may be taken back. */
export function wereOurs(
  conflicts: readonly { field: string }[],
  share: ShareObject,
  live: KubernetesObject | undefined,
  owned: FieldSet | undefined,
): boolean {
  // The same manifest was once applied as a whole, so that every field of it was ours.
  if (live !== undefined && appliedHashOf(live) === share.spec.hash) return true;
  return owned !== undefined && conflicts.every(({ field }) => hasField(owned, field));
}
