export { documentsAt } from "./example";
export { difference, differencesOf, explain, type Explanation } from "./explain";
export { lackingFields, usedFields } from "./fields";
export type { Loss, Side } from "./loss";
export { meet, type Meet } from "./meet";
export { publishable } from "./publishable";
export { canonical, content, isRecord, text, type CelRule, type Schema } from "./schema";
export { agreement, type Agreement, type LeftOut, type Stored } from "./stored";
export { accepts, violations, type Violation } from "./validate";
