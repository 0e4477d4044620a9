export { LOGINS_CONDITION, users } from "./users";
