export { userStatus } from "./status-controller";
