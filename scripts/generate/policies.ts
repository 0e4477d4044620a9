import { policies } from "../../policy/policies";
import { matrixJson, matrixPage } from "../../policy/reference/page";
import type { GeneratedFiles } from "./index";
import { pageMark } from "./mark";

/** The tables of all policies, for people and for programs. */
export function policyFiles(): GeneratedFiles {
  return new Map([
    ["docs/policies.md", pageMark("the policies") + matrixPage(policies)],
    ["docs/policies.json", matrixJson(policies)],
  ]);
}
