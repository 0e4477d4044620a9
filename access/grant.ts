// What a grant is in a cluster: a Secret that everything of it depends on, and an account that may do one thing, to get tokens
// of its person that are bound to that Secret. Pure functions.
import { randomBytes } from "node:crypto";
import { ACCOUNT_LABEL, GRANT_PREFIX, TOKEN_SECONDS, USER_ANNOTATION, USERS_NAMESPACE } from "../api";
import type { KubernetesObject, OwnerReference } from "../controllers/runtime";
import type { Account, Binding, GrantSecret, Role } from "./resources";

/** On the Secret of a grant: when the grant ends. */
export const EXPIRES = "fleetwright.dev/expires";

const OWN = { "app.kubernetes.io/managed-by": "fleetwright", "fleetwright.dev/controller": "access" };
/** Selects what grants are made of. */
export const GRANT_SELECTOR = Object.entries(OWN)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");

/** A grant as people see it. */
export interface Grant {
  user: string;
  name: string;
  since: string;
  expires: string;
}

/** A name that nobody can guess and no other grant ever had. */
export function newGrantName(): string {
  return `${GRANT_PREFIX}${randomBytes(16).toString("hex")}`;
}

/** Selects the objects of one account's grants. */
export function grantsOf(account: string): string {
  return `${GRANT_SELECTOR},${ACCOUNT_LABEL}=${account}`;
}

/** What its tokens are bound to. It goes with the person's account. */
export function grantSecret(name: string, user: string, account: Account, expires: Date): GrantSecret {
  return {
    metadata: {
      namespace: USERS_NAMESPACE,
      name,
      labels: { ...OWN, [ACCOUNT_LABEL]: account.metadata.name },
      annotations: { [USER_ANNOTATION]: user, [EXPIRES]: expires.toISOString() },
      ownerReferences: [owner("ServiceAccount", account)],
    },
    type: "fleetwright.dev/grant",
    immutable: true,
  };
}

/** The account that gets the tokens, and its only right. All of it goes with the Secret. */
export function renewal(secret: GrantSecret): { account: Account; role: Role; binding: Binding } {
  const { name, labels = {}, annotations = {} } = secret.metadata;
  const metadata = {
    namespace: USERS_NAMESPACE,
    name,
    labels,
    annotations: { [USER_ANNOTATION]: annotations[USER_ANNOTATION] ?? "" },
    ownerReferences: [owner("Secret", secret)],
  };
  const apiGroup = "rbac.authorization.k8s.io";
  return {
    account: { metadata, automountServiceAccountToken: false },
    role: {
      metadata,
      rules: [
        {
          apiGroups: [""],
          resources: ["serviceaccounts/token"],
          resourceNames: [labels[ACCOUNT_LABEL] ?? ""],
          verbs: ["create"],
        },
      ],
    },
    binding: {
      metadata,
      roleRef: { apiGroup, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: USERS_NAMESPACE }],
    },
  };
}

/** What is asked for to get a token that ends with a grant. */
export function tokenRequest(secret: GrantSecret, seconds: number = TOKEN_SECONDS): object {
  const { name, uid } = secret.metadata;
  return {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      expirationSeconds: seconds,
      boundObjectRef: { apiVersion: "v1", kind: "Secret", name, uid },
    },
  };
}

/** A grant by its Secret. */
export function grantFrom({ metadata }: GrantSecret): Grant {
  const { name, creationTimestamp = "", annotations = {} } = metadata;
  return {
    user: annotations[USER_ANNOTATION] ?? "",
    name,
    since: creationTimestamp,
    expires: annotations[EXPIRES] ?? "",
  };
}

function owner(kind: string, { metadata: { name, uid = "" } }: KubernetesObject): OwnerReference {
  return { apiVersion: "v1", kind, name, uid };
}
