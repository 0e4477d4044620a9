import { policies as aws } from "./aws/policies";
import { policies as fleet } from "./fleet/policies";
import type { Policy } from "./judge/policy";
import { policies as kubernetes } from "./kubernetes/policies";

/** All policies, pack after pack. */
export const policies: readonly Policy[] = [...aws, ...kubernetes, ...fleet];
