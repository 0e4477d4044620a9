import { aheadMessage } from "./ahead";
import type { ClusterVersions } from "./cluster-versions";

const FILE = "v1.35.4+rke2r1";
const cluster = (found: Partial<ClusterVersions>): ClusterVersions => ({
  servers: [],
  upgrades: [],
  declared: undefined,
  ...found,
});
const server = (version: string): Partial<ClusterVersions> => ({ servers: [{ name: "a", version }] });
const upgrade = (version: string, phase = "Succeeded"): Partial<ClusterVersions> => ({
  upgrades: [{ name: "up", version, phase }],
});

test.each<[string, Partial<ClusterVersions>]>([
  ["nothing is known", {}],
  ["its servers have the version", server(FILE)],
  ["its servers are behind, as before an update", server("v1.34.9+rke2r3")],
  ["a kubelet leaves out the suffix", server("v1.35.4")],
  ["a kubelet says nothing", server("")],
  ["an upgrade went to the version", upgrade(FILE)],
  ["the last update declared less", { declared: "v1.34.9+rke2r1" }],
])("a cluster is not ahead when %s", (_why, found) => {
  expect(aheadMessage(FILE, cluster(found))).toBeUndefined();
});

test.each<[string, Partial<ClusterVersions>, string, string]>([
  ["a server runs a later minor version", server("v1.36.0+rke2r1"), "v1.36.0+rke2r1", "a runs"],
  ["a server runs a later patch", server("v1.35.10+rke2r1"), "v1.35.10+rke2r1", "a runs"],
  ["a server runs a later release of RKE2", server("v1.35.4+rke2r2"), "v1.35.4+rke2r2", "a runs"],
  ["only nodes of pools were upgraded", upgrade("v1.35.5+rke2r1"), "v1.35.5+rke2r1", "ClusterUpgrade up to"],
  ["an upgrade failed on its way", upgrade("v1.35.5+rke2r1", "Failed"), "v1.35.5+rke2r1", ": Failed"],
  [
    "another file was newer",
    { declared: "v1.36.1+rke2r1" },
    "v1.36.1+rke2r1",
    "the last pulumi up declared v1.36.1+rke2r1",
  ],
])("a cluster is ahead when %s", (_why, found, reached, why) => {
  const message = aheadMessage(FILE, cluster(found)) ?? "";
  expect(message).toContain(`cluster.version is ${FILE}, and the cluster has gone to ${reached} (`);
  expect(message).toContain(why);
  expect(message).toContain(`Set fleetwright:cluster.version to ${reached}`);
});

test("what goes furthest is named, with the suffix that a file must have", () => {
  const message = aheadMessage(
    FILE,
    cluster({ ...server("v1.36.1"), ...upgrade("v1.36.1+rke2r1"), declared: "v1.35.9+rke2r1" }),
  );
  expect(message).toContain("Set fleetwright:cluster.version to v1.36.1+rke2r1 and");
});

test("while an upgrade is in work, the fix begins with waiting for it", () => {
  expect(aheadMessage(FILE, cluster(upgrade("v1.36.1+rke2r1", "Running")))).toContain(
    "Wait until up has ended, then set fleetwright:cluster.version to v1.36.1+rke2r1",
  );
});
