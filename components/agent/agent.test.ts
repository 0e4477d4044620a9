import { HOST_PATHS } from "../../api/agent-pod-requirements";
import { at } from "../../lib/json";
import { MockGraph, type RegisteredResource } from "../testing/mock-graph";
import { Agent, PluginInstaller, type AgentArgs } from ".";
import { checkAgent } from "./problems";

const args: AgentArgs = {
  image: `registry.test/agent@sha256:${"b".repeat(64)}`,
  namespace: "fleetwright-system",
};

describe("the agent", () => {
  let pod: unknown;
  let set: RegisteredResource;
  let graph: MockGraph;
  beforeAll(async () => {
    graph = await MockGraph.of(() => new Agent("agent", args));
    set = graph.one("kubernetes:apps/v1:DaemonSet", "agent");
    pod = at(set.inputs, "spec", "template", "spec");
  });

  it("runs on every node, whatever its taints", () => {
    expect(at(pod, "tolerations")).toEqual([{ operator: "Exists" }]);
    expect(at(set.inputs, "spec", "updateStrategy", "type")).toBe("RollingUpdate");
  });

  it("has the host's folders that it needs and no others, each below /host", () => {
    const volumes = at(pod, "volumes") as { hostPath: { path: string } }[];
    expect(volumes.map(({ hostPath }) => hostPath.path)).toEqual(HOST_PATHS.map(({ path }) => path));
    const mounts = at(pod, "containers", 0, "volumeMounts") as { mountPath: string; readOnly: boolean }[];
    expect(mounts.map(({ mountPath, readOnly }) => [mountPath, readOnly])).toEqual(
      HOST_PATHS.map(({ path, readOnly }) => [`/host${path}`, readOnly]),
    );
  });

  it("is root without being privileged: four capabilities, and a root file system that nobody writes", () => {
    expect(at(pod, "containers", 0, "securityContext")).toMatchObject({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL"] },
    });
  });

  it("serves its metrics by HTTPS, to a reader with no other right, only when they are to be scraped", async () => {
    const monitorType = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor";
    expect(graph.all(monitorType)).toEqual([]);
    expect(JSON.stringify(pod)).not.toMatch(/HTTPS|--tls/);
    const scraped = await MockGraph.of(() => new Agent("agent", { ...args, serviceMonitor: true }));
    const own = at(scraped.one("kubernetes:apps/v1:DaemonSet", "agent").inputs, "spec", "template", "spec");
    expect(at(own, "containers", 0, "args")).toContain("--tls=/etc/fleetwright-tls");
    expect(at(own, "containers", 0, "livenessProbe", "httpGet", "scheme")).toBe("HTTPS");
    const mounts = at(own, "containers", 0, "volumeMounts");
    expect(mounts).toContainEqual({ name: "tls", mountPath: "/etc/fleetwright-tls", readOnly: true });
    const volume = { name: "tls", secret: { secretName: "fleetwright-agent-tls", defaultMode: 0o400 } };
    expect(at(own, "volumes")).toContainEqual(volume);
    const [monitor] = scraped.all(monitorType);
    expect(at(monitor?.inputs, "spec", "endpoints", 0)).toMatchObject({
      scheme: "https",
      tlsConfig: {
        ca: { configMap: { name: "fleetwright-agent-tls", key: "ca.crt" } },
        serverName: "fleetwright-agent.fleetwright-system.svc",
      },
      authorization: { credentials: { name: "fleetwright-metrics-reader-agent", key: "token" } },
    });
    const certificate = scraped.one("tls:index/selfSignedCert:SelfSignedCert", "agent-metrics");
    expect(certificate.inputs).toMatchObject({ dnsNames: ["fleetwright-agent.fleetwright-system.svc"] });
    const role = scraped.one("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "agent-metrics-reader");
    expect(role.inputs.rules).toEqual([{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]);
  });

  it("starts when the API server holds each agent to its own node", () => {
    const type = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy";
    const policies = graph.all(type).map(({ inputs }) => at(inputs, "metadata", "name"));
    expect(policies).toEqual(["events", "kinds", "nodes"].map((name) => `fleetwright-agent-${name}`));
    const bindings = graph.all(`${type}Binding`);
    expect(bindings.map(({ inputs }) => at(inputs, "spec", "policyName"))).toEqual(policies);
    expect(bindings.map(({ inputs }) => at(inputs, "spec", "validationActions"))).toEqual(
      policies.map(() => ["Deny"]),
    );
    for (const { urn } of bindings) expect(set.dependencies).toContain(urn);
  });

  it("knows which node it is on", () => {
    expect(at(pod, "containers", 0, "env")).toEqual([
      { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ]);
  });

  it.each<[string, Partial<AgentArgs>, RegExp]>([
    [
      "an image by its tag",
      { image: "agent:1" },
      /^image: found "agent:1": use the image's digest.*: agent@sha256:…$/,
    ],
    ["an unknown end", { onShutdown: "burn" }, /^onShutdown: found "burn": use one of keep, lock/],
  ])("is refused with %s", (_, wrong, words) => {
    const checked = checkAgent({ ...args, ...wrong });
    expect(checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(words),
    ]);
  });
});

test("plugins are installed by an account with rights of its own, into a namespace that is closed", async () => {
  const graph = await MockGraph.of(() => new PluginInstaller("installer"));
  expect(graph.all("kubernetes:core/v1:ServiceAccount")).toHaveLength(1);
  const roles = graph.resources.filter(({ type }) => /:(Cluster)?Role$/.test(type));
  expect(roles.length).toBeGreaterThan(0);
  expect(JSON.stringify(roles.map(({ inputs }) => inputs.rules))).not.toContain('"*"');
  const [namespace] = graph.all("kubernetes:core/v1:Namespace");
  expect(at(namespace?.inputs, "metadata", "labels")).toMatchObject({
    "pod-security.kubernetes.io/enforce": "restricted",
  });
  expect(graph.all("kubernetes:networking.k8s.io/v1:NetworkPolicy")).toHaveLength(1);
});
