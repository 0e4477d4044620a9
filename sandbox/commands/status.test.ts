import { describeStatus, isReady, type SandboxStatus } from "./status";

const cloud: SandboxStatus["cloud"] = {
  process: { pid: 7, started: "" },
  hostEndpoint: "http://127.0.0.1:1",
  endpoint: "http://127.0.0.1:4566",
  region: "eu-central-1",
  controlSocket: "/cloud/control.sock",
  logFile: "",
  machines: [],
  volumes: [],
  balancers: [],
  errors: [],
};
const stopped: SandboxStatus["controlPlane"] = {
  name: "fleetwright-sandbox",
  dir: "",
  endpoint: "https://127.0.0.1:2",
  kubeconfig: "",
  ready: false,
  components: [],
};
const etcd = { name: "etcd", pid: 3, port: 4, logFile: "", running: true, ready: true };
const ready = { ...stopped, ready: true, components: [etcd] };
const dead = {
  ...stopped,
  components: [{ ...etcd, running: false, ready: false, problem: "it is not running" }],
};

test.each<
  [string, Omit<SandboxStatus, "name" | "hub" | "members"> & Partial<SandboxStatus>, boolean, string]
>([
  ["never was", { exists: false, controlPlane: null, cloud: null }, false, "does not exist"],
  ["is stopped", { exists: true, controlPlane: stopped, cloud: null }, false, "stopped, its data is kept"],
  ["has a cloud alone", { exists: true, controlPlane: null, cloud }, true, "ready"],
  ["has a stopped control plane and a cloud", { exists: true, controlPlane: stopped, cloud }, true, "ready"],
  ["has both", { exists: true, controlPlane: ready, cloud }, true, "ready"],
  ["lost its cloud", { exists: true, controlPlane: ready, cloud: null }, false, "NOT READY"],
  ["has a hub alone", { exists: true, controlPlane: null, cloud: null, hub: ready }, true, "ready"],
  ["lost its hub", { exists: true, controlPlane: null, cloud, hub: dead }, false, "NOT READY"],
  ["lost a member", { exists: true, controlPlane: null, cloud, members: { east: dead } }, false, "NOT READY"],
  ["lost a component", { exists: true, controlPlane: dead, cloud }, false, "NOT READY"],
])("a sandbox that %s", (_, parts, expected, text) => {
  const status = { hub: null, members: {}, ...parts };
  expect(isReady(status)).toBe(expected);
  expect(describeStatus({ name: "blue", ...status }).split("\n")[0]).toContain(`sandbox blue: ${text}`);
});

test("says what is wrong", () => {
  const text = describeStatus({
    name: "blue",
    exists: true,
    controlPlane: dead,
    cloud: null,
    hub: null,
    members: {},
  });
  expect(text).toMatch(/✗ etcd .*it is not running/);
  expect(text).toContain("✗ cloud: not running");
});
