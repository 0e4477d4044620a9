export { users } from "./controller";
export { LOGINS_CONDITION } from "./reconciler";
