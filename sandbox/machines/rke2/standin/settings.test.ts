import { addressIn, ignoredKeys, settingsOf } from "./settings";

const FACTS = { hostname: "Server-0", address: "10.0.1.10" };

test("has RKE2's defaults", () => {
  expect(settingsOf("server", {}, FACTS)).toMatchObject({
    dataDir: "/var/lib/rancher/rke2",
    nodeName: "server-0",
    nodeIp: "10.0.1.10",
    advertiseAddress: "10.0.1.10",
    bindAddress: "0.0.0.0",
    clusterCidr: "10.42.0.0/16",
    serviceCidr: "10.43.0.0/16",
    clusterDns: "10.43.0.10",
    clusterDomain: "cluster.local",
    cni: "canal",
    kubeconfig: "/etc/rancher/rke2/rke2.yaml",
    kubeconfigMode: 0o600,
    profile: "none",
    snapshots: {
      disabled: false,
      schedule: "0 */12 * * *",
      retention: 5,
      dir: "/var/lib/rancher/rke2/server/db/snapshots",
    },
  });
});

test("follows the service range with the name server's address, and the data directory with the snapshots", () => {
  const settings = settingsOf("server", { "service-cidr": "10.96.0.0/12", "data-dir": "/data/rke2" }, FACTS);
  expect(settings.clusterDns).toBe("10.96.0.10");
  expect(settings.snapshots.dir).toBe("/data/rke2/server/db/snapshots");
});

test.each<[string, "server" | "agent", Record<string, string | boolean | string[]>, string]>([
  ["an agent without a server", "agent", { token: "x" }, "--server is required"],
  ["an agent without a token", "agent", { server: "https://a:9345" }, "--token is required"],
  [
    "a server that joins without a token",
    "server",
    { server: "https://a:9345" },
    "--token is required to join",
  ],
  [
    "a server that is no https URL",
    "server",
    { server: "http://a:9345", token: "x" },
    "only https:// URLs are supported",
  ],
  ["a restore without a reset", "server", { "cluster-reset-restore-path": "/x" }, "--cluster-reset required"],
  [
    "a reset of a server that has a server to join",
    "server",
    { "cluster-reset": true, server: "https://a:9345", token: "x" },
    "cannot perform cluster-reset while server URL is set - remove server from configuration before resetting",
  ],
  ["an unknown network", "server", { cni: ["weave"] }, "invalid value provided for --cni flag: weave"],
  ["multus alone", "server", { cni: ["multus"] }, "multus must be used alongside"],
  [
    "two networks",
    "server",
    { cni: ["canal", "calico"] },
    "may only provide multiple values if multus is the first",
  ],
  [
    "an unknown component to disable",
    "server",
    { disable: ["coredns"] },
    "invalid value provided for --disable flag: coredns",
  ],
  [
    "an unknown profile",
    "server",
    { profile: "cis-1.23" },
    "invalid value provided for --profile flag: cis-1.23",
  ],
  ["a mode that is none", "server", { "write-kubeconfig-mode": "rw" }, "octal mode"],
  ["an argument with dashes", "server", { "kubelet-arg": ["--v=2"] }, "without dashes in front; found --v=2"],
  ["a bucket without a name", "server", { "etcd-s3": true }, "needs etcd-s3-bucket"],
])("refuses %s", (_, role, config, message) => {
  expect(() => settingsOf(role, config, FACTS)).toThrow(message);
});

test.each([
  ["10.43.0.0/16", 10, "10.43.0.10"],
  ["10.43.0.0/16", 1, "10.43.0.1"],
  ["10.0.255.0/24", 256, "10.1.0.0"],
])("the address of %s at %d is %s", (cidr, offset, address) => {
  expect(addressIn(cidr, offset)).toBe(address);
});

test("names the keys that have no effect, with the reason", () => {
  expect(ignoredKeys({ selinux: true, token: "x" })).toEqual([
    "selinux is accepted and has no effect in the sandbox: the machines' kernel has no SELinux",
  ]);
});
