// The admission policies of the people's namespace, in CEL. RBAC cannot say what a token must be bound to.
import { GRANT_PREFIX, GROUP, PEOPLE_POLICY, TOKEN_SECONDS, USERS_NAMESPACE } from "../../api";

/** An admission policy and the name of it and its binding. */
export interface PeoplePolicy {
  name: string;
  spec: {
    failurePolicy: "Fail";
    matchConstraints: {
      namespaceSelector: { matchLabels: Record<string, string> };
      resourceRules: {
        apiGroups: string[];
        apiVersions: string[];
        operations: string[];
        resources: string[];
      }[];
    };
    variables: { name: string; expression: string }[];
    validations: { expression: string; message: string; reason: "Forbidden" }[];
  };
}

const ACCOUNTS = `system:serviceaccount:${USERS_NAMESPACE}:`;

/** A right that nobody has but administrators, who have all; it stands for no object. */
const isAdministrator = {
  name: "isAdministrator",
  expression: `authorizer.group("${GROUP}").resource("protectednamespaces").namespace("${USERS_NAMESPACE}").check("use").allowed()`,
};

function match(operations: string[], resource: string): PeoplePolicy["spec"]["matchConstraints"] {
  return {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": USERS_NAMESPACE } },
    resourceRules: [{ apiGroups: [""], apiVersions: ["*"], operations, resources: [resource] }],
  };
}

/**
 * Who gets tokens of the accounts of people. The account of a grant gets those of its person (its Role names them), and only
 * such as end with the grant: bound to the Secret that has the account's own name.
 */
const tokens: PeoplePolicy = {
  name: PEOPLE_POLICY,
  spec: {
    failurePolicy: "Fail",
    matchConstraints: match(["CREATE"], "serviceaccounts/token"),
    variables: [
      isAdministrator,
      {
        name: "isGrant",
        expression: `request.userInfo.username.startsWith("${ACCOUNTS}${GRANT_PREFIX}")`,
      },
      {
        name: "endsWithGrant",
        expression: [
          "has(object.spec.boundObjectRef)",
          `object.spec.boundObjectRef.kind == "Secret"`,
          `object.spec.boundObjectRef.apiVersion == "v1"`,
          `"${ACCOUNTS}" + object.spec.boundObjectRef.name == request.userInfo.username`,
          `object.spec.expirationSeconds <= ${TOKEN_SECONDS}`,
        ].join(" && "),
      },
    ],
    validations: [
      {
        expression: "variables.isGrant ? variables.endsWithGrant : variables.isAdministrator",
        message: `tokens of the accounts of people are made by administrators, and by the account of a grant such as last an hour and are bound to the grant's Secret: ask an administrator for \`npm run access -- NAME\``,
        reason: "Forbidden",
      },
    ],
  },
};

/** A Secret of a certain type is a token too, of any account that its writer names, and without an end. */
const secrets: PeoplePolicy = {
  name: "fleetwright-people-secrets",
  spec: {
    failurePolicy: "Fail",
    matchConstraints: match(["CREATE", "UPDATE"], "secrets"),
    variables: [isAdministrator],
    validations: [
      {
        expression: `variables.isAdministrator && !(has(object.type) && object.type == "kubernetes.io/service-account-token")`,
        message: `Secrets in ${USERS_NAMESPACE} stand for grants, are made by administrators, and are never tokens: use \`npm run access -- NAME\``,
        reason: "Forbidden",
      },
    ],
  },
};

/** What closes the people's namespace. */
export const PEOPLE_POLICIES: readonly PeoplePolicy[] = [tokens, secrets];
