export { describeObjections, objectionsTo, type Objection, type Rule } from "./escalation";
export { authorization } from "./controller";
export { TEAM_GROUP_PREFIX } from "./plan";
