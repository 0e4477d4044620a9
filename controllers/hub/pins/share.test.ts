import type { KubernetesObject } from "../../runtime";
import type { ShareObject } from "../../syncer/kinds";
import { isSameShare, rootStatus, rootStatusPatch, shareName, shareOf, sharePatch } from "./share";

const DEPLOYMENTS = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
const root = (metadata: object = {}, fields: object = {}): KubernetesObject & object => ({
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u",
    generation: 3,
    labels: { "fleetwright.dev/cluster": "east" },
    ...metadata,
  },
  ...fields,
});

test("a Share says what its root is, and where it goes", () => {
  const made = shareOf(DEPLOYMENTS, root({}, { spec: { replicas: 2 } }), "east", {});
  if (!("share" in made)) throw new Error(made.problem);
  expect(made.share.metadata).toMatchObject({
    namespace: "cluster-east",
    name: shareName(DEPLOYMENTS, root()),
  });
  expect(made.share.spec.root).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace: "shop",
    name: "web",
    uid: "u",
    generation: 3,
  });
  expect(JSON.parse(made.share.spec.manifest)).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: { replicas: 2 },
  });
});

test("objects of one name in two namespaces, or of two kinds, have Shares of their own", () => {
  const names = [
    shareName(DEPLOYMENTS, root()),
    shareName(DEPLOYMENTS, root({ namespace: "other" })),
    shareName({ group: "", kind: "Service" }, root()),
    shareName({ group: "example.com", kind: "Deployment" }, root()),
  ];
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^web-(deployment|service)-[0-9a-f]{10}$/);
});

test("a manifest that no Share can hold is refused, not cut", () => {
  const made = shareOf(
    { ...DEPLOYMENTS, kind: "ConfigMap", group: "" },
    root({}, { data: { a: "x".repeat(1_400_000) } }),
    "east",
    {},
  );
  expect(made).toEqual({
    problem: expect.stringMatching(/manifest has 1400\d+ characters, and a Share holds 1048576/) as string,
  });
});

test.each([
  ["quotes, which are escaped once more", '"'.repeat(500_000)],
  ["characters of three bytes", "\u20ac".repeat(600_000)],
  ["angle brackets, which are stored as six bytes", "<".repeat(250_000)],
])("what counts are the bytes of the Share as it is stored: %s", (_what, text) => {
  const kind = { ...DEPLOYMENTS, kind: "ConfigMap", group: "" };
  const made = shareOf(kind, root({}, { data: { a: text } }), "east", {});
  expect(made).toEqual({ problem: expect.stringMatching(/Share would have [12]\d{6} bytes/) as string });
});

test("a Share whose manifest was changed under its hash, or that has a field more, is not the one that is wanted", () => {
  const made = shareOf(DEPLOYMENTS, root({}, { spec: { replicas: 2 } }), "east", {});
  if (!("share" in made)) throw new Error(made.problem);
  const { share: wanted } = made;
  const live = (spec: object): ShareObject => ({ ...wanted, spec: { ...wanted.spec, ...spec } });
  expect(isSameShare(live({}), wanted)).toBe(true);
  expect(isSameShare(live({ manifest: "{}" }), wanted)).toBe(false);
  expect(isSameShare(live({ replicas: 7 }), wanted)).toBe(false);
  expect(sharePatch(live({ replicas: 7 }), wanted)).toEqual({ ...wanted.spec, replicas: null });
});

const share = (observed: object | undefined, status: object = {}): ShareObject =>
  ({
    metadata: { name: "s" },
    spec: { hash: "h", root: { generation: 3 } },
    status: {
      appliedHash: "h",
      appliedGeneration: 3,
      memberGeneration: 7,
      ...(observed === undefined ? {} : { observed: JSON.stringify(observed) }),
      ...status,
    },
  }) as unknown as ShareObject;

test.each([
  ["nothing yet", share(undefined), {}, undefined],
  [
    "seen by its controller",
    share({ observedGeneration: 7, replicas: 2 }),
    {},
    { observedGeneration: 3, replicas: 2 },
  ],
  [
    "not seen yet",
    share({ observedGeneration: 6, replicas: 1 }),
    { status: { observedGeneration: 2 } },
    { observedGeneration: 2, replicas: 1 },
  ],
  [
    "another manifest is there",
    share({ observedGeneration: 7 }, { appliedHash: "old" }),
    { status: { observedGeneration: 2 } },
    { observedGeneration: 2 },
  ],
  ["never seen at all", share({ observedGeneration: 6 }), {}, {}],
  ["a kind without generations", share({ loadBalancer: {} }), {}, { loadBalancer: {} }],
])("observedGeneration is truthful: %s", (_what, found, fields, expected) => {
  expect(rootStatus(root({}, fields), found)).toEqual(expected);
});

test("a status becomes exactly another by a patch, and none is made for the same", () => {
  expect(rootStatusPatch({ a: 1, b: { c: 2 } }, { b: { c: 2 }, d: 3 })).toEqual({ a: null, d: 3 });
  expect(rootStatusPatch({ b: { c: 2 } }, { b: { c: 2 } })).toBeUndefined();
});
