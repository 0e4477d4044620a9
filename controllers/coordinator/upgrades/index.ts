export { CORDONED_BY } from "./node-plan";
export { upgrades } from "./controller";
