import { readdirSync } from "node:fs";
import path from "node:path";
import type { Resource } from "../../../policy/core/resource";
import { CONFIG_NAMESPACE, policyContextOf } from "../../../policy/core/policy-context";
import { policies } from "../../../policy/policies";
import { reportOf, type Report } from "../../../policy/report/report";
import { configOf, declaredWith } from "../../harness/declared-stack";

const ROOT = path.join(__dirname, "../../..");
const STACKS = readdirSync(ROOT).flatMap((file) => /^Pulumi\.(\w+)\.yaml$/.exec(file)?.[1] ?? []);

/** The resources that the stack declares, as policies get them. */
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

async function evaluated(stack: string): Promise<Report> {
  const resources = await declared(stack);
  const config = configOf(stack);
  const context = policyContextOf(
    {
      exemptions: config[`${CONFIG_NAMESPACE}:exemptions`],
      settings: config[`${CONFIG_NAMESPACE}:settings`],
    },
    stack,
  );
  return reportOf(policies, { stack, kind: "preview", byInputs: resources, byOutputs: resources }, context);
}

/** The agent's DaemonSet, with what it needs of its node. */
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
    name: "agent",
    urn: "urn:pulumi:prod::fleetwright::fleetwright:index:Agent$kubernetes:apps/v1:DaemonSet::agent",
    properties: { metadata: { namespace: "fleetwright-system" }, spec: { template: { spec } } },
    isProtected: false,
    provider: {},
    dependencies: [],
    propertyDependencies: {},
  };
}

describe("the agent's own exemptions", () => {
  const blocking = (resource: Resource): string[] => {
    const source = { stack: "prod", kind: "preview", byInputs: [resource], byOutputs: [resource] } as const;
    const { evaluations } = reportOf(policies, source, policyContextOf({}, "prod"));
    return evaluations
      .filter(({ outcome, blocks }) => outcome === "violation" && blocks)
      .map(({ policy }) => policy);
  };

  it("cover what it needs of its node", () => {
    expect(blocking(agent())).toEqual([]);
  });

  it.each([
    ["another host path", agent({ volume: "/" }), "kubernetes-pod-no-host-path"],
    ["another capability", agent({ capability: "SYS_ADMIN" }), "kubernetes-pod-drops-capabilities"],
    ["another host namespace", agent({ pod: { hostIPC: true } }), "kubernetes-pod-no-host-namespaces"],
    ["a privileged container", agent({ container: { privileged: true } }), "kubernetes-pod-not-privileged"],
    [
      "the same pod outside of the component",
      { ...agent(), urn: agent().urn.replace("fleetwright:index:Agent$", "") },
      "kubernetes-pod-no-host-path",
    ],
    [
      "another type in the component",
      {
        ...agent(),
        type: "kubernetes:apps/v1:Deployment",
        urn: agent().urn.replace("DaemonSet", "Deployment"),
      },
      "kubernetes-pod-no-host-path",
    ],
  ])("do not cover %s", (_, resource, policy) => {
    expect(blocking(resource)).toContain(policy);
  });
});

describe.each(STACKS)("the stack %s", (stack) => {
  let report: Report;
  beforeAll(async () => (report = await evaluated(stack)), 120_000);

  it("is blocked by no policy", () => {
    const blocking = report.evaluations.filter(({ outcome, blocks }) => outcome === "violation" && blocks);
    expect(blocking.map(({ policy, message }) => `${policy}: ${message}`)).toEqual([]);
  });

  it("has no exemption that is not needed", () => {
    const unused = report.exemptions.filter(({ state }) => state !== "used");
    expect(unused.map(({ policy, resource }) => `${policy} ${resource}`)).toEqual([]);
  });
});
