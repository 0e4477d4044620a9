// For tests: every power that AuthorizationRoles must not give unless an administrator raises the ceiling, each as the rules of a role.
import type { Rule } from "../escalation";

/** A power above the ceiling. */
export interface PowerAbove {
  what: string;
  rules: Rule[];
  /** What the condition names. */
  right: string;
  /** What the condition says that it leads to. */
  why: RegExp;
}

const above = (
  what: string,
  group: string,
  resource: string,
  verbs: string[],
  why: RegExp,
  more: Partial<Rule> = {},
): PowerAbove => ({
  what,
  rules: [{ apiGroups: [group], resources: [resource], verbs, ...more }],
  right: `${verbs.map((verb) => (verb === "*" ? "every verb" : verb)).join(", ")} on ${group === "" ? resource : `${resource}.${group}`}`,
  why,
});

const RBAC = "rbac.authorization.k8s.io";
const ADMISSION = "admissionregistration.k8s.io";
const CERTIFICATES = "certificates.k8s.io";
const OURS = "fleetwright.dev";
const WRITES = ["create", "update", "patch", "delete"];

/** One of each. */
export const POWERS_ABOVE: readonly PowerAbove[] = [
  ...["get", "list", "watch", ...WRITES, "deletecollection"].map((verb) =>
    above(`${verb} on Secrets`, "", "secrets", [verb], /token of any service account/),
  ),
  above("reading one Secret by its name", "", "secrets", ["get"], /credentials/, { resourceNames: ["a"] }),
  above("the attack: writing Secrets", "", "secrets", ["create", "patch"], /token of any service account/),
  above("tokens of service accounts", "", "serviceaccounts/token", ["create"], /credentials of every/),
  above("impersonating users", "", "users", ["impersonate"], /act as anyone/),
  above("impersonating groups", "", "groups", ["impersonate"], /act as anyone/),
  above("impersonating service accounts", "", "serviceaccounts", ["impersonate"], /act as anyone/),
  above("escalating", RBAC, "clusterroles", ["escalate"], /write any role/),
  above("binding", RBAC, "clusterroles", ["bind"], /give any role/),
  above("binding one role by its name", RBAC, "clusterroles", ["bind"], /give any role/, {
    resourceNames: ["cluster-admin"],
  }),
  ...["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map((resource) =>
    // Just what the accounts that write roles hold themselves, which the API server would let them give.
    above(`writing ${resource}`, RBAC, resource, ["create", "patch", "delete"], /who may do what/),
  ),
  above(
    "writing CRDs",
    "apiextensions.k8s.io",
    "customresourcedefinitions",
    WRITES,
    /what objects of others say/,
  ),
  above("writing PersistentVolumes", "", "persistentvolumes", WRITES, /every file of a node/),
  above("writing nodes", "", "nodes", WRITES, /nodes of one's choice/),
  above("the status of nodes", "", "nodes/status", ["patch"], /nodes of one's choice/),
  above("the kubelet", "", "nodes/proxy", ["get", "create"], /through the kubelet/),
  above("labels of namespaces", "", "namespaces", WRITES, /privileged pods/),
  ...["mutatingwebhookconfigurations", "validatingwebhookconfigurations"].map((resource) =>
    above(`writing ${resource}`, ADMISSION, resource, WRITES, /requests of everyone/),
  ),
  ...[
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
  ].map((resource) => above(`writing ${resource}`, ADMISSION, resource, WRITES, /requests of everyone/)),
  above(
    "asking for certificates",
    CERTIFICATES,
    "certificatesigningrequests",
    ["create"],
    /certificates for anyone/,
  ),
  above(
    "approving certificates",
    CERTIFICATES,
    "certificatesigningrequests/approval",
    ["update"],
    /certificates for anyone/,
  ),
  above("signing certificates", CERTIFICATES, "signers", ["approve", "sign"], /certificates for anyone/),
  above("APIServices", "apiregistration.k8s.io", "apiservices", WRITES, /part of the API/),
  above("Helm charts of RKE2", "helm.cattle.io", "helmcharts", ["create"], /install anything/),
  above("their values", "helm.cattle.io", "helmchartconfigs", ["patch"], /install anything/),
  above("addons of RKE2", "k3s.cattle.io", "addons", ["patch"], /install anything/),
  above("our roles", OURS, "authorizationroles", ["patch"], /write any role/),
  above("our bindings", OURS, "authorizationrolebindings", ["create"], /write any role/),
  above("our plugins", OURS, "plugins", ["create"], /install anything/),
  above("our upgrades", OURS, "clusterupgrades", ["create"], /root on every node/),
  above("our users", OURS, "users", ["patch"], /login on every node/),
  above("our registries", OURS, "registries", ["create"], /copies any Secret/),
  above("our labels", OURS, "clusterlabels", ["create"], /not among what roles may give/),
  above("status of our kinds", OURS, "users/status", ["patch"], /not among what roles may give/),
  above(
    "passing protected namespaces",
    OURS,
    "protectednamespaces",
    ["use"],
    /not among what roles may give/,
  ),
  above("claiming addresses", OURS, "serviceexternalips", ["use"], /addresses that are others'/),
  above("the status of Services", "", "services/status", ["patch"], /traffic of others/),
  above("endpoints", "", "endpoints", ["patch"], /traffic of others/),
  above("endpoint slices", "discovery.k8s.io", "endpointslices", ["create"], /traffic of others/),
  above("custom resources of others", "example.com", "things", ["get"], /not among what roles may give/),
  {
    what: "everything",
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    right: "every verb on every resource of every group",
    why: /which lets its holder/,
  },
  {
    what: "every verb",
    rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] }],
    right: "every verb on deployments.apps",
    why: /runs pods/,
  },
  {
    what: "every proxy",
    rules: [{ apiGroups: ["*"], resources: ["*/proxy"], verbs: ["create"] }],
    right: "create on */proxy of every group",
    why: /kubelet/,
  },
  {
    what: "every path of the server",
    rules: [{ nonResourceURLs: ["/debug/*"], verbs: ["get"] }],
    right: "get on the path /debug/*",
    why: /not among what roles may give/,
  },
];
