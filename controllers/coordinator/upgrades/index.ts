export { CORDONED_BY } from "./progress";
export { upgrades } from "./upgrades";
