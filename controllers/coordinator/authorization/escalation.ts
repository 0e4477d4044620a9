import { GROUP } from "../../../api";

/** A rule as an AuthorizationRole has it. */
export interface Rule {
  apiGroups?: readonly string[] | undefined;
  resources?: readonly string[] | undefined;
  resourceNames?: readonly string[] | undefined;
  nonResourceURLs?: readonly string[] | undefined;
  verbs: readonly string[];
}

/** A right with which its holder could get others. */
interface EscalationPath {
  group: string;
  resource: string;
  verbs: readonly string[];
  /** How it leads to more. */
  why: string;
  /** `cluster`: harmless enough within one namespace that is not the cluster's or the product's own. */
  where: "anywhere" | "cluster";
}

const WRITES = ["create", "update", "patch", "delete", "deletecollection"];
const READS = ["get", "list", "watch"];
const RBAC = "rbac.authorization.k8s.io";
const RUNS_AS_ANYONE = "runs pods as every service account";
/** More are only counted: a role of everything would fill its own status. */
const SHOWN = 8;

function powers(
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  why: string,
  where: EscalationPath["where"] = "anywhere",
): EscalationPath[] {
  return resources.map((resource) => ({ group, resource, verbs, why, where }));
}

const POWERS: readonly EscalationPath[] = [
  ...powers(RBAC, ["roles", "clusterroles"], ["escalate"], "lets its holder write any role"),
  ...powers(RBAC, ["roles", "clusterroles"], ["bind"], "lets its holder give any role to anyone"),
  ...powers("", ["users", "groups", "serviceaccounts"], ["impersonate"], "lets its holder act as anyone"),
  ...powers(
    "authentication.k8s.io",
    ["uids", "userextras/scopes"],
    ["impersonate"],
    "lets its holder act as anyone",
  ),
  ...powers("", ["nodes/proxy"], [...READS, ...WRITES], "reaches every container through the kubelet"),
  ...powers(
    "certificates.k8s.io",
    ["certificatesigningrequests/approval"],
    ["update", "patch"],
    "lets its holder issue certificates for anyone",
  ),
  ...powers(
    "certificates.k8s.io",
    ["signers"],
    ["approve", "sign"],
    "lets its holder issue certificates for anyone",
  ),
  ...powers(
    "admissionregistration.k8s.io",
    [
      "mutatingwebhookconfigurations",
      "validatingwebhookconfigurations",
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
    ],
    WRITES,
    "sees or changes every request of everyone",
  ),
  ...powers("apiregistration.k8s.io", ["apiservices"], WRITES, "can stand in for a part of the API"),
  ...powers(
    GROUP,
    ["authorizationroles", "authorizationrolebindings"],
    WRITES,
    "has the coordinator write any role",
  ),
  ...powers(GROUP, ["plugins"], WRITES, "has the coordinator install anything"),
  ...powers(GROUP, ["clusterupgrades"], WRITES, "has a program run as root on every node"),
  ...powers(GROUP, ["users"], WRITES, "gives a login on every node"),
  ...powers(GROUP, ["registries"], WRITES, "copies any Secret to every namespace"),
  ...powers("", ["secrets"], READS, "reads the credentials of everyone", "cluster"),
  // Whoever makes pods everywhere makes them in the product's namespace too, and there they act as the coordinator.
  ...[
    { group: "", resources: ["pods", "podtemplates", "replicationcontrollers"] },
    { group: "apps", resources: ["daemonsets", "deployments", "replicasets", "statefulsets"] },
    { group: "batch", resources: ["cronjobs", "jobs"] },
  ].flatMap(({ group, resources }) =>
    powers(group, resources, ["create", "update", "patch"], RUNS_AS_ANYONE, "cluster"),
  ),
  ...powers(
    "",
    ["pods/attach", "pods/ephemeralcontainers", "pods/exec"],
    ["get", "create", "update", "patch"],
    "gets into every pod and acts as its service account",
    "cluster",
  ),
  ...powers(
    "",
    ["serviceaccounts/token"],
    ["create"],
    "gets the credentials of every service account",
    "cluster",
  ),
];

/** Why a rule goes beyond what the product allows. */
export interface Objection {
  /** Where in the spec. */
  path: string;
  /** What of the rule does it. */
  right: string;
  why: string;
  where: EscalationPath["where"];
}

/** What speaks against a role's rules. Wildcards count for all that they cover. */
export function objectionsTo(rules: readonly Rule[]): Objection[] {
  return rules.flatMap((rule, index) =>
    POWERS.flatMap((power): Objection[] => {
      const verbs = power.verbs.filter((verb) => covers(rule.verbs, verb));
      const given =
        verbs.length > 0 &&
        covers(rule.apiGroups ?? [], power.group) &&
        (rule.resources ?? []).some((resource) => coversResource(resource, power.resource)) &&
        !(power.resource === "secrets" && isNamed(rule));
      if (!given) return [];
      const name = power.group === "" ? power.resource : `${power.resource}.${power.group}`;
      return [
        {
          path: `spec.rules[${index}]`,
          right: `${verbs.join(", ")} on ${name}`,
          why: power.why,
          where: power.where,
        },
      ];
    }),
  );
}

// Reading one Secret by its name is what the names are for. A token of a service account or a shell in a pod is not
// made harmless by a name: it may be the coordinator's.
function isNamed({ resourceNames = [], verbs }: Rule): boolean {
  return resourceNames.length > 0 && verbs.every((verb) => verb === "get");
}

function covers(words: readonly string[], word: string): boolean {
  return words.includes("*") || words.includes(word);
}

function coversResource(pattern: string, resource: string): boolean {
  if (pattern === "*" || pattern === resource) return true;
  const [main, sub] = resource.split("/");
  return sub !== undefined && (pattern === `*/${sub}` || pattern === `${main ?? ""}/*`);
}

/** One sentence with every objection and the way out. */
export function describeObjections(objections: readonly Objection[]): string {
  const list = objections
    .slice(0, SHOWN)
    .map(({ path, right, why }) => `${path} allows ${right}, which ${why}`);
  const more = objections.length > SHOWN ? `; and ${objections.length - SHOWN} more` : "";
  const inNamespaces = objections.every(({ where }) => where === "cluster")
    ? ", or bind the role in single namespaces other than kube-system and Fleetwright's own"
    : "";
  return `The role goes beyond what Fleetwright allows: ${list.join("; ")}${more}. Name the verbs and resources that are needed instead${inNamespaces}.`;
}
