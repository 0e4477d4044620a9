export { hubApiserver } from "./hub-apiserver";
