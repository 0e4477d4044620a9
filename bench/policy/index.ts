export { policy } from "./policy";
