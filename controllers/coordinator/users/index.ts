export { peopleAccountsIn } from "./accounts";
export { users } from "./controller";
export { userStatus } from "./status-controller";
