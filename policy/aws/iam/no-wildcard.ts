import { definePolicy } from "../../core/policy";
import { isRecord } from "../../core/property";
import { IAM_POLICIES } from "../shared/resource-types";

export const noWildcard = definePolicy({
  name: "aws-iam-no-wildcard",
  description: "IAM policies do not allow all actions on all resources.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_62", "FSBP IAM.1"],
  rules: [31],
  remediationSteps: "List the actions and resources that are needed.",
  types: IAM_POLICIES,
  check({ inputs }) {
    const policy = inputs.at("policy");
    for (const [index, statement] of statementsOf(policy.text()).entries()) {
      if (statement.Effect !== "Allow") continue;
      const isEverything = has(statement.Resource, (resource) => resource === "*");
      if (isEverything && has(statement.Action, (action) => action === "*" || action === "*:*"))
        policy.reportViolation(
          "List the actions and resources.",
          `a document whose statement ${index + 1} allows * on *`,
        );
      if (isEverything && statement.NotAction !== undefined)
        policy.reportViolation(
          "List the actions.",
          `a document whose statement ${index + 1} allows all but a few actions on *`,
        );
    }
  },
});

function statementsOf(text: string | undefined): Readonly<Record<string, unknown>>[] {
  if (text === undefined) return [];
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch {
    // AWS refuses what is not JSON; there is nothing in it that could be allowed.
    return [];
  }
  const statements: unknown = isRecord(policy) ? policy.Statement : [];
  return (Array.isArray(statements) ? statements : [statements]).filter(isRecord);
}

function has(value: unknown, test: (text: string) => boolean): boolean {
  return (Array.isArray(value) ? value : [value]).some((one) => typeof one === "string" && test(one));
}
