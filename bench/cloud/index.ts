export { cloud } from "./cloud";
