import { reasonNotToSync } from "./never-synced";

const object = (kind: string, name: string, namespace?: string, fields: object = {}) => ({
  apiVersion: "v1",
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...fields,
});

test.each([
  [object("ConfigMap", "kube-root-ca.crt", "shop"), /makes ConfigMap kube-root-ca.crt itself/],
  [object("ServiceAccount", "default", "shop"), /makes ServiceAccount default itself/],
  [object("Service", "kubernetes", "default"), /every cluster's own/],
  [object("ConfigMap", "a", "kube-system"), /namespace kube-system belongs/],
  [object("ConfigMap", "a", "fleetwright-system"), /namespace fleetwright-system belongs/],
  [object("Secret", "t", "shop", { type: "kubernetes.io/service-account-token" }), /worth nothing/],
  [object("Secret", "t", "shop", { type: "bootstrap.kubernetes.io/token" }), /worth nothing/],
])("%j stays on the hub", (found, reason) => {
  expect(reasonNotToSync(found)).toMatch(reason);
});

test.each([
  object("ConfigMap", "settings", "shop"),
  object("Service", "kubernetes", "shop"),
  object("Secret", "t", "shop", { type: "Opaque" }),
  object("PersistentVolume", "v"),
])("%j may go to a member", (found) => {
  expect(reasonNotToSync(found)).toBeUndefined();
});
