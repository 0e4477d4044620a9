export { describeObjections, objectionsTo, type Objection, type Rule } from "./escalation";
export { authorization } from "./controller";
