// The rights of a syncer's account in its member: for what it places, and for itself in the product's namespace.
import type { PolicyRule, Role } from "../app/rules";
import { memberRules } from "./member-rights";
import { HUB_RECORD } from "./names";

/** The account of a syncer that runs in its member, and what else is called after it. */
export const SYNCER_NAME = "fleetwright-syncer";
/** The Secret with the one-time token that the hub's administrator gave. */
export const BOOTSTRAP_SECRET = "fleetwright-syncer-bootstrap";
/** The Secret in which the syncer keeps its certificate for the hub. */
export const CERTIFICATE_SECRET = "fleetwright-syncer-certificate";

/** Labels of everything that belongs to a syncer in its member. */
export const SYNCER_LABELS = {
  "app.kubernetes.io/managed-by": "fleetwright",
  "app.kubernetes.io/component": "syncer",
};

/** What it needs in the product's namespace whatever it places: the record of its hub, and its certificate. */
const OWN_RULES: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["create"] },
  { apiGroups: [""], resources: ["configmaps"], resourceNames: [HUB_RECORD], verbs: ["get"] },
  { apiGroups: [""], resources: ["secrets"], resourceNames: [CERTIFICATE_SECRET], verbs: ["get", "patch"] },
];

/** The roles of a syncer; `kinds` are of definitions that it places as well, as `resource.group`. */
export function rolesOf(namespace: string, kinds: readonly string[] = []): [Role, Role] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: SYNCER_NAME, labels: SYNCER_LABELS };
  return [
    { apiVersion, kind: "ClusterRole", metadata, rules: memberRules(kinds) },
    { apiVersion, kind: "Role", metadata: { ...metadata, namespace }, rules: [...OWN_RULES] },
  ];
}
