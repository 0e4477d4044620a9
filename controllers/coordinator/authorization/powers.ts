// What some rights lead to, for people who ask why a role may not give them. That they are refused follows from the
// ceiling, not from this list.
import { GROUP, RBAC_GROUP } from "../../../api";
import { coversResource, type Right } from "./coverage";

interface Power {
  /** Empty is the core group; `undefined` any. */
  group: string;
  resources: readonly string[];
  /** Undefined: all. */
  verbs?: readonly string[];
  why: string;
}

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];

const POWERS: readonly Power[] = [
  {
    group: RBAC_GROUP,
    resources: ["roles", "clusterroles"],
    verbs: ["escalate"],
    why: "lets its holder write any role",
  },
  {
    group: RBAC_GROUP,
    resources: ["roles", "clusterroles"],
    verbs: ["bind"],
    why: "lets its holder give any role to anyone",
  },
  {
    group: RBAC_GROUP,
    resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"],
    verbs: WRITES,
    why: "changes who may do what, past Fleetwright",
  },
  {
    group: "",
    resources: ["users", "groups", "serviceaccounts"],
    verbs: ["impersonate"],
    why: "lets its holder act as anyone",
  },
  {
    group: "authentication.k8s.io",
    resources: ["uids", "userextras/scopes"],
    verbs: ["impersonate"],
    why: "lets its holder act as anyone",
  },
  {
    group: "",
    resources: ["secrets"],
    why: "reads or makes credentials: a Secret can hold the token of any service account",
  },
  {
    group: "",
    resources: ["serviceaccounts/token"],
    why: "gets the credentials of every service account",
  },
  {
    group: "",
    resources: ["nodes/proxy"],
    why: "reaches every container through the kubelet",
  },
  {
    group: "",
    resources: ["nodes", "nodes/status"],
    verbs: WRITES,
    why: "moves pods and their credentials to nodes of one's choice",
  },
  {
    group: "",
    resources: ["namespaces", "namespaces/status", "namespaces/finalize"],
    verbs: WRITES,
    why: "changes what a namespace protects itself with: its labels allow privileged pods",
  },
  {
    group: "",
    resources: ["persistentvolumes"],
    verbs: WRITES,
    why: "reads and writes every file of a node",
  },
  {
    group: "",
    resources: ["endpoints", "services/status"],
    verbs: WRITES,
    why: "leads the traffic of others wherever one likes",
  },
  {
    group: "discovery.k8s.io",
    resources: ["endpointslices"],
    verbs: WRITES,
    why: "leads the traffic of others wherever one likes",
  },
  {
    group: GROUP,
    resources: ["serviceexternalips"],
    verbs: ["use"],
    why: "takes over addresses that are others'",
  },
  {
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions", "customresourcedefinitions/status"],
    verbs: WRITES,
    why: "changes what objects of others say, on their way to whoever acts on them",
  },
  {
    group: "certificates.k8s.io",
    resources: [
      "certificatesigningrequests",
      "certificatesigningrequests/approval",
      "certificatesigningrequests/status",
      "signers",
      "clustertrustbundles",
    ],
    why: "leads to certificates for anyone",
  },
  {
    group: "admissionregistration.k8s.io",
    resources: [
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
      "mutatingwebhookconfigurations",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
      "validatingwebhookconfigurations",
    ],
    why: "sees, changes or lets through the requests of everyone",
  },
  {
    group: "apiregistration.k8s.io",
    resources: ["apiservices"],
    why: "can stand in for a part of the API",
  },
  {
    group: "helm.cattle.io",
    resources: ["helmcharts", "helmchartconfigs"],
    why: "has the cluster install anything, with all rights",
  },
  {
    group: "k3s.cattle.io",
    resources: ["addons"],
    why: "has the cluster install anything, with all rights",
  },
  {
    group: GROUP,
    resources: ["authorizationroles", "authorizationrolebindings"],
    verbs: WRITES,
    why: "has the coordinator write any role",
  },
  { group: GROUP, resources: ["plugins"], verbs: WRITES, why: "has the coordinator install anything" },
  {
    group: GROUP,
    resources: ["clusterupgrades"],
    verbs: WRITES,
    why: "has a program run as root on every node",
  },
  { group: GROUP, resources: ["users"], verbs: WRITES, why: "gives a login on every node" },
  { group: GROUP, resources: ["registries"], verbs: WRITES, why: "copies any Secret to every namespace" },
  {
    group: "",
    resources: ["pods", "podtemplates", "replicationcontrollers"],
    verbs: ["create", "update", "patch"],
    why: "runs pods as every service account",
  },
  {
    group: "apps",
    resources: ["daemonsets", "deployments", "replicasets", "statefulsets"],
    verbs: ["create", "update", "patch"],
    why: "runs pods as every service account",
  },
  {
    group: "batch",
    resources: ["cronjobs", "jobs"],
    verbs: ["create", "update", "patch"],
    why: "runs pods as every service account",
  },
  {
    group: "",
    resources: ["pods/attach", "pods/ephemeralcontainers", "pods/exec", "pods/portforward", "pods/proxy"],
    why: "gets into every pod and acts as its service account",
  },
];

/** What a right leads to; undefined if nobody wrote it down. Of wildcards, the worst that they cover. */
export function whyNot({ verb, group, target, isPath }: Right): string | undefined {
  if (isPath) return undefined;
  return POWERS.find(
    (power) =>
      (group === "*" || group === power.group) &&
      (verb === "*" || power.verbs === undefined || power.verbs.includes(verb)) &&
      power.resources.some((resource) => coversAlso(target, resource)),
  )?.why;
}

// `nodes/*` covers nothing for the API server, but whoever writes it means every subresource.
function coversAlso(pattern: string, resource: string): boolean {
  const [main, sub] = resource.split("/");
  return coversResource(pattern, resource) || (sub !== undefined && pattern === `${main ?? ""}/*`);
}
