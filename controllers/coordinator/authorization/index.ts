export { describeObjections, objectionsTo, type Objection, type Rule } from "./allowance";
export { authorization } from "./authorization";
export { TEAM_GROUP_PREFIX } from "./desired";
