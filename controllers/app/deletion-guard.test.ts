import type { KubernetesObject } from "../runtime";
import { ALLOW_DELETION, heldBack, isMassDeletion, MASS_DELETION } from "./deletion-guard";

test.each([
  [0, 0, false],
  [1, 1, false],
  [9, 9, false],
  [10, 10, true],
  [10, 20, false],
  [11, 20, true],
  [500, 1000, false],
  [501, 1000, true],
])("%i of %i within the window is a mistake: %s", (going, total, mistake) => {
  expect(isMassDeletion(going, total)).toBe(mistake);
});

type Kind = "stays" | "leaves" | "confirmed" | "marked";
const many = (count: number, kind: Kind): KubernetesObject[] =>
  Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `${kind}-${index}`,
      uid: `${kind}-${index}`,
      ...(kind === "stays" ? {} : { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      ...(kind === "confirmed" ? { annotations: { [ALLOW_DELETION]: "true" } } : {}),
    },
    ...(kind === "marked" ? { status: { conditions: [{ type: "Ready", reason: MASS_DELETION }] } } : {}),
  }));

test.each<{ what: string; objects: KubernetesObject[]; gone?: number; before?: string[]; held: number }>([
  { what: "nothing goes", objects: many(20, "stays"), held: 0 },
  { what: "all go at once", objects: many(12, "leaves"), held: 12 },
  { what: "all go, and all are confirmed", objects: many(12, "confirmed"), held: 0 },
  { what: "three are in flight", objects: [...many(17, "stays"), ...many(3, "leaves")], held: 0 },
  {
    what: "three are in flight after seven went",
    objects: [...many(5, "stays"), ...many(3, "leaves")],
    gone: 7,
    held: 3,
  },
  {
    what: "three are in flight after seven of many went",
    objects: [...many(50, "stays"), ...many(3, "leaves")],
    gone: 7,
    held: 0,
  },
  { what: "the window has passed", objects: many(2, "leaves"), before: ["leaves-0", "leaves-1"], held: 2 },
  { what: "a leader before held them back", objects: many(2, "marked"), held: 2 },
  { what: "one more goes later", objects: [...many(2, "marked"), ...many(1, "leaves")], held: 2 },
])("held back when $what: $held", ({ objects, gone = 0, before = [], held }) => {
  expect(heldBack(objects, gone, new Set(before)).held.size).toBe(held);
});
