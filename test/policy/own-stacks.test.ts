import { readdirSync } from "node:fs";
import path from "node:path";
import type { Resource } from "../../policy/judge/resource";
import { NAMESPACE, surroundingsOf } from "../../policy/judge/surroundings";
import { policies } from "../../policy/policies";
import { reportOf, type Report } from "../../policy/report/report";
import { configOf, declaredWith } from "../declared-stack";

const ROOT = path.join(__dirname, "..", "..");
const STACKS = readdirSync(ROOT).flatMap((file) => /^Pulumi\.(\w+)\.yaml$/.exec(file)?.[1] ?? []);

/** What the stack declares, as policies see it. */
async function declared(stack: string): Promise<readonly Resource[]> {
  const config = configOf(stack);
  const provider = { region: config["aws:region"] };
  return (await declaredWith(config)).map((asked) => ({
    type: asked.type,
    name: asked.name,
    urn: asked.urn,
    properties: asked.wrapped,
    isProtected: asked.isProtected,
    provider,
    dependencies: asked.dependencies,
    propertyDependencies: asked.propertyDependencies,
  }));
}

async function judged(stack: string): Promise<Report> {
  const resources = await declared(stack);
  const config = configOf(stack);
  const around = surroundingsOf(
    { exemptions: config[`${NAMESPACE}:exemptions`], settings: config[`${NAMESPACE}:settings`] },
    stack,
  );
  return reportOf(policies, { stack, kind: "preview", byInputs: resources, byOutputs: resources }, around);
}

/** The agent's pod, by what it needs of its node. */
function agent(
  change: { pod?: object; container?: object; volume?: string; capability?: string } = {},
): Resource {
  const paths = [
    "/etc",
    "/home",
    "/var/lib/fleetwright",
    "/run/dbus",
    "/var/lib/rancher",
    "/var/lib/kubelet/pki",
  ];
  const add = [
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "KILL",
    ...(change.capability === undefined ? [] : [change.capability]),
  ];
  const securityContext = {
    runAsUser: 0,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"], add },
    seccompProfile: { type: "RuntimeDefault" },
    ...change.container,
  };
  const spec = {
    serviceAccountName: "fleetwright-agent",
    hostPID: true,
    hostNetwork: true,
    volumes: [...paths, ...(change.volume === undefined ? [] : [change.volume])].map((host) => ({
      hostPath: { path: host },
    })),
    containers: [{ image: `ghcr.io/fleetwright/agent@sha256:${"ab".repeat(32)}`, securityContext }],
    ...change.pod,
  };
  return {
    type: "kubernetes:apps/v1:DaemonSet",
    name: "fleetwright-agent",
    urn: "urn:pulumi:dev::fleetwright::kubernetes:apps/v1:DaemonSet::fleetwright-agent",
    properties: { metadata: { namespace: "fleetwright-system" }, spec: { template: { spec } } },
    isProtected: false,
    provider: {},
    dependencies: [],
    propertyDependencies: {},
  };
}

describe.each(["dev", "existing"])("the agent's exemptions in the stack %s", (stack) => {
  const { [`${NAMESPACE}:exemptions`]: exemptions } = configOf(stack);
  const stopping = (resource: Resource): string[] => {
    const source = { stack, kind: "preview", byInputs: [resource], byOutputs: [resource] } as const;
    const { verdicts } = reportOf(policies, source, surroundingsOf({ exemptions }, stack));
    return verdicts
      .filter(({ outcome, stops }) => outcome === "violation" && stops)
      .map(({ policy }) => policy);
  };

  it("cover what it needs of its node", () => {
    expect(stopping(agent())).toEqual([]);
  });

  it.each([
    ["another folder", agent({ volume: "/" }), "kubernetes-pod-no-host-path"],
    ["another capability", agent({ capability: "SYS_ADMIN" }), "kubernetes-pod-drops-capabilities"],
    ["another namespace of the host", agent({ pod: { hostIPC: true } }), "kubernetes-pod-no-host-namespaces"],
    ["a privileged container", agent({ container: { privileged: true } }), "kubernetes-pod-not-privileged"],
    ["another name", { ...agent(), urn: `${agent().urn}-2` }, "kubernetes-pod-no-host-path"],
  ])("do not cover %s", (_, resource, policy) => {
    expect(stopping(resource)).toContain(policy);
  });
});

describe.each(STACKS)("the stack %s", (stack) => {
  let report: Report;
  beforeAll(async () => (report = await judged(stack)), 120_000);

  it("is stopped by no policy", () => {
    const stopping = report.verdicts.filter(({ outcome, stops }) => outcome === "violation" && stops);
    expect(stopping.map(({ policy, message }) => `${policy}: ${message}`)).toEqual([]);
  });

  it("has no exemption that is not needed", () => {
    // The agent's are written before the agent is there.
    const idle = report.exemptions.filter(({ resource }) => !resource.endsWith("::fleetwright-agent"));
    expect(
      idle.filter(({ state }) => state !== "used").map(({ policy, resource }) => `${policy} ${resource}`),
    ).toEqual([]);
  });
});
