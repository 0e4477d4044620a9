// Decides who holds a role by a binding: a person by every name that the API server knows them by, and of a team all members.
// Pure functions, and the index of people that they are asked with.
import {
  USERS_NAMESPACE,
  REVOKED_LABEL,
  TEAM_GROUP_PREFIX,
  USER_ANNOTATION,
  USER_NAME_PREFIX,
} from "../../../api";
import type { Informer } from "../../runtime";
import type { RoleBindingObject, UserObject } from "../kinds";
import type { ServiceAccount } from "../native-resources";
import { isOwn } from "../../app/ownership";
import { CONTROLLER as PEOPLE } from "../users/plan";
import { RBAC_GROUP, type Subject } from "./rbac-resources";

/** A person as bindings see them. */
export interface Person {
  /** The name of the User. */
  name: string;
  /** Their service account, if it is there and nothing of it was revoked. */
  account: string | undefined;
}

/** Who there is. */
export interface People {
  /** Undefined where there is no such User, or one that is being deleted. */
  person(name: string): Person | undefined;
  members(team: string): readonly Person[];
}

/**
 * The subjects of a binding. A name that no User has is given the role as it stands, for those whom certificates or
 * another provider vouch for; everything else goes with the User.
 */
export function subjectsOf({ user, team }: RoleBindingObject["spec"], people: People): Subject[] {
  if (user !== undefined) {
    const person = people.person(user);
    return [rbac("User", user), ...(person === undefined ? [] : namesOf(person))];
  }
  const members = [...people.members(team ?? "")].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [rbac("Group", `${TEAM_GROUP_PREFIX}${team ?? ""}`), ...members.flatMap(namesOf)];
}

function namesOf({ name, account }: Person): Subject[] {
  return [
    rbac("User", `${USER_NAME_PREFIX}${name}`),
    ...(account === undefined ? [] : [{ kind: "ServiceAccount", name: account, namespace: USERS_NAMESPACE }]),
  ];
}

function rbac(kind: "User" | "Group", name: string): Subject {
  return { apiGroup: RBAC_GROUP, kind, name };
}

/** The people of two informers: Users, and what {@link USERS_NAMESPACE} holds of ours. */
export function peopleIn(users: Informer<UserObject>, accounts: Informer<ServiceAccount>): People {
  users.addIndex("team", ({ spec }) => spec.teams);
  accounts.addIndex("user", usersOfAccount);
  const asPerson = ({ metadata }: UserObject): Person[] => {
    // Whoever is being deleted has no rights any more, however long the cleaning up takes.
    if (metadata.deletionTimestamp !== undefined) return [];
    const open = accounts.byIndex("user", metadata.name).find(isOpen);
    return [{ name: metadata.name, account: open?.metadata.name }];
  };
  return {
    person: (name) => {
      const user = users.get(name);
      return user === undefined ? undefined : asPerson(user)[0];
    },
    members: (team) => users.byIndex("team", team).flatMap(asPerson),
  };
}

/** The User whose account this is, as a key. */
export function usersOfAccount(account: ServiceAccount): string[] {
  const user = account.metadata.annotations?.[USER_ANNOTATION];
  return user !== undefined && isOwn(account, PEOPLE) ? [user] : [];
}

function isOpen({ metadata }: ServiceAccount): boolean {
  return metadata.deletionTimestamp === undefined && metadata.labels?.[REVOKED_LABEL] === undefined;
}
