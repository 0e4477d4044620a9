// Decides what a User's account in the cluster looks like. Pure functions.
import { ACCOUNT_LABEL, accountName, USERS_NAMESPACE, USER_ANNOTATION } from "../../../api";
import type { UserObject } from "../kinds";
import type { ServiceAccount } from "../native-resources";
import { ownLabels } from "../../app/ownership";

/** As in `--controllers`, labels and field managers. */
export const CONTROLLER = "users";
/** As {@link CONTROLLER}, on what the command `access` makes for a grant. */
export const GRANTS = "access";

/** The service account with which a person asks the API server. */
export function accountFor({ metadata: { name } }: UserObject): ServiceAccount {
  return {
    metadata: {
      namespace: USERS_NAMESPACE,
      name: accountName(name),
      labels: ownLabels(CONTROLLER),
      annotations: { [USER_ANNOTATION]: name },
    },
    // No pod runs as a person.
    automountServiceAccountToken: false,
  };
}

/** The Users that an account, or the account of a grant, has to do with, as keys. */
export function usersOf({ metadata }: ServiceAccount): string[] {
  const user = metadata.annotations?.[USER_ANNOTATION];
  return user === undefined ? [] : [user];
}

/** The account whose tokens a grant gives, as a key. */
export function accountsOf({ metadata }: ServiceAccount): string[] {
  const account = metadata.labels?.[ACCOUNT_LABEL];
  return account === undefined ? [] : [account];
}
