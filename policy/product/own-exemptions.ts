// What our own components need and the policies forbid, in one place. Each exemption covers one resource of one component, and
// where possible only the values or properties that the component is known to need: any other stays a violation.
import type { Exemption } from "../core/exemption";

const DAEMON_SET = "kubernetes:apps/v1:DaemonSet";
const CLUSTER_ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const ROLE = "kubernetes:rbac.authorization.k8s.io/v1:Role";

type OwnExemption = Exemption & { readonly component: string };
/** An exemption of a component's resource. */
type Entry = Omit<OwnExemption, "component" | "resource">;

function exempt(component: string, resource: string, ...entries: readonly Entry[]): OwnExemption[] {
  return entries.map((entry) => ({ ...entry, resource, component: `fleetwright:index:${component}` }));
}

/** The exemptions of our own components. They are part of the product and reviewed with it, so they do not expire. */
export const OWN_EXEMPTIONS: readonly OwnExemption[] = [
  ...exempt("Server", "aws:ec2/instance:Instance::*", {
    policy: "aws-ec2-no-keys-in-user-data",
    values: ["text with an SSH private key in it"],
    reason: "The server's host key, so that the first login can verify it; see docs/decisions/0014.",
  }),
  ...exempt("SystemNamespace", "kubernetes:core/v1:Namespace::*", {
    policy: "kubernetes-namespace-pod-security",
    values: ["privileged"],
    reason: "The agent runs here and needs access to its node, which baseline and restricted forbid.",
  }),
  // The agent manages its node: as root, with these host paths and capabilities and no others (controllers/agent).
  ...exempt(
    "Agent",
    `${DAEMON_SET}::*`,
    {
      policy: "kubernetes-pod-no-host-path",
      values: [
        "/etc",
        "/home",
        "/var/lib/fleetwright",
        "/run/dbus",
        "/var/lib/rancher",
        "/var/lib/kubelet/pki",
      ],
      reason: "The agent manages users and their keys on the node, and upgrades it.",
    },
    {
      policy: "kubernetes-pod-runs-as-non-root",
      values: ["0"],
      reason: "Account files on the node belong to root.",
    },
    {
      policy: "kubernetes-pod-drops-capabilities",
      values: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL"],
      reason: "The agent writes files of other users and ends the processes of deleted users.",
    },
    {
      policy: "kubernetes-pod-no-host-namespaces",
      properties: ["spec.template.spec.hostPID", "spec.template.spec.hostNetwork"],
      reason:
        "The agent sees processes of deleted users, and the instance metadata service allows one hop only.",
    },
  ),
  // The coordinator acts for users within fixed limits (docs/decisions/0018, controllers/coordinator).
  ...exempt("Coordinator", `${CLUSTER_ROLE}::*`, {
    policy: "kubernetes-rbac-no-secret-listing",
    reason: "It keeps a pull secret in every namespace, and repairs and removes those that it created.",
  }),
  ...exempt("Coordinator", `${ROLE}::*`, {
    policy: "kubernetes-rbac-no-escalation",
    values: ["impersonate"],
    reason: "It installs plugins and writes roles as service accounts that have only the rights for it.",
  }),
  // A hub's account in a member places whatever people placed on the hub, pods and Secrets too, in namespaces that come and go.
  ...exempt(
    "Fleet",
    `${CLUSTER_ROLE}::*`,
    {
      policy: "kubernetes-rbac-no-secret-listing",
      reason: "It places Secrets in the namespaces that they have on the hub, and sees what became of them.",
    },
    {
      policy: "kubernetes-rbac-no-pod-creation-for-all",
      reason: "It places pods in the namespaces that they have on the hub.",
    },
  ),
  // What roles may give at most, held by accounts as which no pod runs (docs/decisions/0030).
  ...exempt("RoleCeiling", `${CLUSTER_ROLE}::*`, {
    policy: "kubernetes-rbac-no-pod-creation-for-all",
    reason: "It is what AuthorizationRoles may give in single namespaces; its holder writes roles only.",
  }),
  ...[CLUSTER_ROLE, ROLE].flatMap((type) =>
    exempt("PluginInstaller", `${type}::*`, {
      policy: "kubernetes-rbac-no-escalation",
      values: ["bind"],
      reason: "It binds the one built-in role that metrics-server needs.",
    }),
  ),
];
