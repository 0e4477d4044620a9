import { policies as aws } from "./aws/policies";
import { policies as product } from "./product/policies";
import type { Policy } from "./core/policy";
import { policies as kubernetes } from "./kubernetes/policies";

/** All policies, pack after pack. */
export const policies: readonly Policy[] = [...aws, ...kubernetes, ...product];
