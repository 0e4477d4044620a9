export { LOGINS_CONDITION } from "./host-accounts";
export { users } from "./users";
