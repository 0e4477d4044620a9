import { at } from "../../lib/json";
import { isSecret, MockGraph, type RegisteredResource } from "../testing/mock-graph";
import { Hub, type HubArgs } from ".";
import { checkHub } from "./problems";

const digest = `sha256:${"c".repeat(64)}`;
const args: HubArgs = { image: `registry.test/hub-apiserver@${digest}` };
const etcd = { servers: ["https://a:2379", "https://b:2379"], secretName: "etcd", networks: ["10.0.0.0/24"] };
const kubernetes = {
  apiServerImage: `registry.test/kube-apiserver@${digest}`,
  controllerManagerImage: `registry.test/kube-controller-manager@${digest}`,
};

const deployed = (graph: MockGraph): RegisteredResource => graph.one("kubernetes:apps/v1:Deployment", "hub");
const podOf = (graph: MockGraph): unknown => at(deployed(graph).inputs, "spec", "template", "spec");
const containersOf = (graph: MockGraph) =>
  at(podOf(graph), "containers") as { name: string; command: string[]; args: string[] }[];

describe("one server with its own etcd", () => {
  let graph: MockGraph;
  beforeAll(async () => {
    graph = await MockGraph.of(() => new Hub("hub", args));
  });

  it("is never two on one volume, and the volume stays", () => {
    const { spec } = deployed(graph).inputs;
    expect([at(spec, "replicas"), at(spec, "strategy")]).toEqual([1, { type: "Recreate" }]);
    const claim = graph.one("kubernetes:core/v1:PersistentVolumeClaim", "hub");
    expect([claim.isProtected, claim.isRetained]).toEqual([true, true]);
    expect(at(claim.inputs, "spec", "accessModes")).toEqual(["ReadWriteOncePod"]);
    const [{ args: flags } = { args: [] }] = containersOf(graph);
    expect(flags).toContain("--etcd-data-dir=/var/lib/hub/etcd");
    expect(flags.join(" ")).not.toContain("--etcd-servers");
  });

  it("has no right in the cluster that it runs in, and no token of it", () => {
    expect(at(podOf(graph), "automountServiceAccountToken")).toBe(false);
    expect(graph.resources.filter(({ type }) => type.includes("rbac.authorization"))).toEqual([]);
  });

  it("is restricted", () => {
    expect(at(podOf(graph), "securityContext")).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(at(podOf(graph), "containers", 0, "securityContext")).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(at(graph.one("kubernetes:core/v1:Namespace", "hub").inputs, "metadata", "labels")).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
  });

  it("is reached at its port and reaches nobody, from the beginning", () => {
    const policy = graph.one("kubernetes:networking.k8s.io/v1:NetworkPolicy", "hub");
    expect(policy.inputs.spec).toMatchObject({
      ingress: [{ ports: [{ port: 6443, protocol: "TCP" }] }],
      egress: [],
    });
    expect(deployed(graph).dependencies).toContain(policy.urn);
  });

  it("keeps keys out of everything but Secrets, and secret in the state", () => {
    const secret = graph.one("kubernetes:core/v1:Secret", "hub-keys");
    expect(isSecret(secret.wrapped.stringData)).toBe(true);
    const others = graph.resources.filter(
      ({ type }) => type.startsWith("kubernetes:") && type !== "kubernetes:core/v1:Secret",
    );
    expect(JSON.stringify(others.map(({ inputs }) => inputs))).not.toContain("PRIVATE KEY");
  });

  it("has a certificate for the names of its Service, from an authority whose key stays out of the cluster", () => {
    const request = graph.one("tls:index/certRequest:CertRequest", "hub-server").inputs;
    expect(request.dnsNames).toEqual(
      expect.arrayContaining(["localhost", "fleetwright-hub.fleetwright-hub.svc"]),
    );
    expect(request.ipAddresses).toEqual(["127.0.0.1"]);
    const files = at(graph.one("kubernetes:core/v1:Secret", "hub-keys").inputs, "stringData") as object;
    expect(Object.keys(files).sort()).toEqual([
      "client-ca.crt",
      "client-ca.key",
      "server-ca.crt",
      "server.crt",
      "server.key",
      "service-accounts.key",
      "service-accounts.pub",
    ]);
    for (const use of ["server-ca", "client-ca", "service-accounts"])
      expect(graph.one("tls:index/privateKey:PrivateKey", `hub-${use}`).isProtected).toBe(true);
  });

  it("writes down who did what, and no object", () => {
    const { data } = graph.one("kubernetes:core/v1:ConfigMap", "hub-configuration").inputs;
    expect(at(data, "audit-policy.yaml")).not.toMatch(/level: Request/);
  });
});

test("an address of your own is in the certificate and in the kubeconfig", async () => {
  const graph = await MockGraph.of(
    () => new Hub("hub", { ...args, endpoint: "https://hub.example.com:8443" }),
  );
  const request = graph.one("tls:index/certRequest:CertRequest", "hub-server").inputs;
  expect(request.dnsNames).toContain("hub.example.com");
});

test("three servers on an etcd of yours roll one after another, and only one is disturbed at a time", async () => {
  const graph = await MockGraph.of(() => new Hub("hub", { ...args, etcd }));
  const { spec } = deployed(graph).inputs;
  expect(at(spec, "replicas")).toBe(3);
  expect(at(spec, "strategy", "rollingUpdate")).toEqual({ maxUnavailable: 1, maxSurge: 0 });
  expect(graph.all("kubernetes:core/v1:PersistentVolumeClaim")).toEqual([]);
  expect(graph.one("kubernetes:policy/v1:PodDisruptionBudget", "hub").inputs.spec).toMatchObject({
    maxUnavailable: 1,
  });
  const [{ args: flags } = { args: [] }] = containersOf(graph);
  expect(flags).toContain("--etcd-servers=https://a:2379,https://b:2379");
  const { egress } = graph.one("kubernetes:networking.k8s.io/v1:NetworkPolicy", "hub").inputs.spec as {
    egress: unknown[];
  };
  expect(egress[1]).toEqual({
    to: [{ ipBlock: { cidr: "10.0.0.0/24" } }],
    ports: [{ port: 2379, protocol: "TCP" }],
  });
});

test("kube-apiserver stands behind the same component, with its etcd and controllers beside it", async () => {
  const graph = await MockGraph.of(
    () =>
      new Hub("hub", {
        server: "kube-apiserver",
        kubernetes: { ...kubernetes, etcdImage: `registry.test/etcd@${digest}` },
      }),
  );
  expect(containersOf(graph).map(({ name }) => name)).toEqual(["etcd", "server", "controllers"]);
  const [store, server, controllers] = containersOf(graph);
  expect(store?.args).toContain("--listen-client-urls=unix:///var/lib/hub/etcd.sock");
  expect(server?.args).toContain("--etcd-servers=unix:///var/lib/hub/etcd.sock");
  expect(controllers?.args[0]?.split(",")).toHaveLength(10);
  const { stringData } = graph.one("kubernetes:core/v1:Secret", "hub-controllers").inputs;
  expect(JSON.parse(String(at(stringData, "kubeconfig")))).toMatchObject({
    clusters: [{ cluster: { server: "https://localhost:6443" } }],
  });
});

test.each<[string, HubArgs, RegExp]>([
  ["no image", {}, /^image: not set: name the image of hub-apiserver/],
  ["an image by its tag", { image: "hub:1" }, /^image: found "hub:1": use the image's digest/],
  ["an unknown server", { ...args, server: "k3s" }, /^server: found "k3s"/],
  [
    "images of another server",
    { ...args, kubernetes },
    /^kubernetes: found images for kube-apiserver: set server/,
  ],
  ["kube-apiserver without images", { server: "kube-apiserver" }, /^kubernetes: not set/],
  ["kube-apiserver without etcd", { server: "kube-apiserver", kubernetes }, /^kubernetes.etcdImage: not set/],
  [
    "an etcd nowhere",
    { ...args, etcd: { ...etcd, networks: ["there"] } },
    /^etcd.networks\[0\]: found "there"/,
  ],
])("a hub with %s is refused", (_, wrong, words) => {
  const checked = checkHub(wrong);
  expect(checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(words),
  ]);
});
