// Admission policies for what RBAC cannot say: which namespaces are left out of every role, and what the accounts that write
// roles may write at all. In CEL, evaluated by the API server; if one cannot be evaluated, the request is refused.
import { API_VERSION, GROUP, SYSTEM_NAMESPACE, USERS_NAMESPACE } from "../names";
import { GRANT_PREFIX, TEAM_GROUP_PREFIX } from "../people";
import {
  accountUser,
  AUTHORIZATION_ACCOUNT,
  CLUSTER_AUTHORIZATION_ACCOUNT,
  COORDINATOR_ACCOUNT,
  NATIVE_PREFIX,
} from "./accounts";
import {
  among,
  EVERYWHERE,
  IS_A_PERSON,
  mayUse,
  PEOPLE,
  text,
  USER,
  type AdmissionPolicy,
} from "./admission-policy";
import { RBAC_GROUP, type RaisedCeiling, type RoleRule } from "./ceiling";
import { externalIps } from "./external-ips";
import { PROTECTED_LABEL, PROTECTED_NAMESPACES, PROTECTED_NAMESPACES_RESOURCE } from "./protected-namespaces";

const PROTECTED: AdmissionPolicy["places"] = [
  {
    name: "always",
    namespaceSelector: {
      matchExpressions: [
        { key: "kubernetes.io/metadata.name", operator: "In", values: [...PROTECTED_NAMESPACES] },
      ],
    },
  },
  { name: "labelled", namespaceSelector: { matchLabels: { [PROTECTED_LABEL]: "true" } } },
];
/** What the coordinator puts on all native roles and bindings. */
const MANAGED_LABELS = {
  "app.kubernetes.io/managed-by": "fleetwright",
  "fleetwright.dev/controller": "authorization",
};
/** What the kubelet pulls with. */
const PULL_SECRET_TYPES = ["kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"];
/** The records of Plugins (controllers/coordinator/plugins/revision.ts). */
const RECORD_TYPES = [`${GROUP}/plugin-revision`];
const READS = ["get", "list", "watch"];

/** The admission policies that stand behind the ceiling. */
export function admissionPolicies(raised: RaisedCeiling = {}): AdmissionPolicy[] {
  return [protectedNamespaces(), externalIps(), accountWrites(raised), accountPlaces(), coordinatorSecrets()];
}

/**
 * In protected namespaces people change nothing and get into nothing. An administrator passes by the right to `use` the
 * namespace, which cluster-admin has.
 */
function protectedNamespaces(): AdmissionPolicy {
  const admin = mayUse(PROTECTED_NAMESPACES_RESOURCE);
  // The account of a grant renews its person's token; a policy of its own says which (components/agent/people-policies.ts).
  const renewal = `${USER}.startsWith(${text(PEOPLE + GRANT_PREFIX)}) && request.namespace == ${text(USERS_NAMESPACE)} && request.resource.resource == "serviceaccounts" && has(request.subResource) && request.subResource == "token"`;
  return {
    name: "fleetwright-protected-namespaces",
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["*"],
            apiVersions: ["*"],
            resources: ["*/*"],
            scope: "Namespaced",
            operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
          },
        ],
      },
      matchConditions: [IS_A_PERSON],
      validations: [
        {
          expression: `(${renewal}) || ${admin}`,
          messageExpression: `"the namespace " + request.namespace + " is protected, only administrators write in it or get into its pods: " + ${USER} + " lacks the right to use ${PROTECTED_NAMESPACES_RESOURCE}.${GROUP} there"`,
          reason: "Forbidden",
        },
      ],
    },
    places: PROTECTED,
  };
}

/**
 * The accounts that write roles hold the ceiling, but they are to give it and not to use it: they write roles and bindings
 * that stand for ours, and nothing else. They hold writes on RBAC to do so, which the API server would let them give away.
 */
function accountWrites(raised: RaisedCeiling): AdmissionPolicy {
  const isRbac = `(request.resource.group == ${text(RBAC_GROUP)} && request.resource.resource in ${among(["clusterroles", "clusterrolebindings", "rolebindings"])})`;
  const givesRbac = `has(r.apiGroups) && r.apiGroups.exists(g, g in ${among(["*", RBAC_GROUP])}) && !r.verbs.all(v, v in ${among(READS)})`;
  const subject = [
    `(s.kind == "User" && !s.name.startsWith("system:") && !s.name.startsWith("eks:"))`,
    `(s.kind == "Group" && s.name.startsWith(${text(TEAM_GROUP_PREFIX)}))`,
    `(s.kind == "ServiceAccount" && has(s.namespace) && s.namespace == ${text(USERS_NAMESPACE)})`,
  ].join(" || ");
  const managed = Object.entries(MANAGED_LABELS)
    .map(
      ([key, value]) =>
        `${text(key)} in oldObject.metadata.labels && oldObject.metadata.labels[${text(key)}] == ${text(value)}`,
    )
    .join(" && ");
  const isWritten = (resources: string[]): string =>
    `(${isRbac} && request.resource.resource in ${among(resources)} && request.operation != "DELETE")`;
  const bindings = isWritten(["clusterrolebindings", "rolebindings"]);
  const validation = (
    expression: string,
    message: string,
  ): AdmissionPolicy["spec"]["validations"][number] => ({
    expression,
    message,
    reason: "Forbidden",
  });
  return {
    name: "fleetwright-authorization-writes",
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["*"],
            apiVersions: ["*"],
            resources: ["*/*"],
            scope: "*",
            operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
          },
        ],
      },
      matchConditions: [
        {
          name: "is-an-authorization-account",
          expression: `${USER} in ${among([AUTHORIZATION_ACCOUNT, CLUSTER_AUTHORIZATION_ACCOUNT].map((name) => accountUser(name)))}`,
        },
      ],
      validations: [
        validation(isRbac, "this account writes nothing but ClusterRoles and bindings"),
        validation(
          `!${isRbac} || (object == null ? oldObject : object).metadata.name.startsWith(${text(NATIVE_PREFIX)})`,
          `this account writes only what stands for an object of ${API_VERSION}: names begin with ${NATIVE_PREFIX}`,
        ),
        validation(
          `request.operation == "CREATE" || (has(oldObject.metadata.labels) && ${managed})`,
          "this account changes only what Fleetwright manages, by its labels",
        ),
        ...(givesRbacWrites(raised)
          ? []
          : [
              validation(
                `!${isWritten(["clusterroles"])} || !has(object.rules) || object.rules == null || object.rules.all(r, !(${givesRbac}))`,
                `a role gives no more than get, list and watch on ${RBAC_GROUP}, unless an administrator raises the ceiling`,
              ),
            ]),
        validation(
          `!${bindings} || (object.roleRef.kind == "ClusterRole" && object.roleRef.name.startsWith(${text(NATIVE_PREFIX)}))`,
          `this account gives only roles that stand for an AuthorizationRole: names begin with ${NATIVE_PREFIX}`,
        ),
        validation(
          `!${bindings} || !has(object.subjects) || object.subjects == null || object.subjects.all(s, ${subject})`,
          `this account gives roles only to people, to teams and to the accounts of people in ${USERS_NAMESPACE}`,
        ),
      ],
    },
    places: EVERYWHERE,
  };
}

/** In protected namespaces no more is given than everywhere; the accounts of people are given nothing at all in theirs. */
function accountPlaces(): AdmissionPolicy {
  return {
    name: "fleetwright-authorization-places",
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [RBAC_GROUP],
            apiVersions: ["*"],
            resources: ["rolebindings"],
            scope: "Namespaced",
            operations: ["CREATE", "UPDATE"],
          },
        ],
      },
      matchConditions: [
        {
          name: "gives-roles",
          expression: `${USER} in ${among([AUTHORIZATION_ACCOUNT, CLUSTER_AUTHORIZATION_ACCOUNT].map((name) => accountUser(name)))}`,
        },
      ],
      validations: [
        {
          expression: `${USER} == ${text(accountUser(CLUSTER_AUTHORIZATION_ACCOUNT))} && request.namespace != ${text(USERS_NAMESPACE)}`,
          messageExpression: `"the namespace " + request.namespace + " is protected: roles are given in it only by ${CLUSTER_AUTHORIZATION_ACCOUNT}, and in ${USERS_NAMESPACE} not at all"`,
          reason: "Forbidden",
        },
      ],
    },
    places: PROTECTED,
  };
}

/**
 * The coordinator writes pull secrets everywhere, and records of Plugins at home. A Secret of another type can be worth
 * more than it says: the token of any service account, or one with which a node joins.
 */
function coordinatorSecrets(): AdmissionPolicy {
  return {
    name: "fleetwright-coordinator-secrets",
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["secrets"],
            scope: "Namespaced",
            operations: ["CREATE", "UPDATE"],
          },
        ],
      },
      matchConditions: [
        {
          name: "is-the-coordinator",
          expression: `${USER} == ${text(accountUser(COORDINATOR_ACCOUNT))}`,
        },
      ],
      validations: [
        {
          expression: `object.type in ${among(PULL_SECRET_TYPES)} || (request.namespace == ${text(SYSTEM_NAMESPACE)} && object.type in ${among(RECORD_TYPES)})`,
          messageExpression: `"the coordinator writes no Secret of the type " + object.type + " in the namespace " + request.namespace`,
          reason: "Forbidden",
        },
      ],
    },
    places: EVERYWHERE,
  };
}

/** Whether an administrator lets roles give writes on RBAC. */
function givesRbacWrites({ cluster = [], namespaces = [] }: RaisedCeiling): boolean {
  const writes = ({ apiGroups = [], verbs }: RoleRule): boolean =>
    apiGroups.some((group) => group === "*" || group === RBAC_GROUP) &&
    verbs.some((verb) => !READS.includes(verb));
  return [...cluster, ...namespaces].some(writes);
}
