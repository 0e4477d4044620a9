// What several folders have to agree on about people in a cluster: their namespace, the names that the API server sees,
// and the accounts that stand for them there.
import { createHash } from "node:crypto";

/** The prefix of a User's name in the user that the API server sees when an identity provider vouches for the person. */
export const USER_NAME_PREFIX = "fleetwright.dev/user:";
/** The prefix of a team's name in the group that it sees then. */
export const TEAM_GROUP_PREFIX = "fleetwright.dev/team:";
/** On an account of a person: their User. */
export const USER_ANNOTATION = "fleetwright.dev/user";
/** The label of an account whose grants were all revoked: bindings leave it out. Its value is when, in seconds since 1970. */
export const REVOKED_LABEL = "fleetwright.dev/access-revoked";
/** On the objects of a grant: the account whose tokens it gives. */
export const ACCOUNT_LABEL = "fleetwright.dev/account";
/** How the names of grants begin; no account of a person begins like this. */
export const GRANT_PREFIX = "grant-";
/** Guards who gets tokens of people's accounts: the name of the admission policy and of its binding. */
export const PEOPLE_POLICY = "fleetwright-people-tokens";
/** How long a token of a person lasts, until it is renewed. */
export const TOKEN_SECONDS = 3600;

const LONGEST = 58;

/**
 * The service account that stands for a User. Its name is a label's value too, so a long one is a hash. Neither form can
 * be the other's, nor `default`, which Kubernetes makes in every namespace, nor a grant's.
 */
export function accountName(user: string): string {
  return user.length <= LONGEST
    ? `user-${user}`
    : `long-user-${createHash("sha256").update(user).digest("hex").slice(0, 40)}`;
}
