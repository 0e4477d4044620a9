export { firstRun } from "./first-run";
