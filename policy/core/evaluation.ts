import { covers, type Exemption, isExpired } from "./exemption";
import type { Policy } from "./policy";
import type { Finding } from "./property";
import { identityOf, type Stack } from "./resource";
import type { PolicyContext } from "./policy-context";

/** A finding of a policy, with what follows from it. */
export interface Evaluation extends Omit<Finding, "kind"> {
  readonly policy: string;
  /** `unknown`: a value is not known yet. `exempt`: a violation that an exemption covers. */
  readonly outcome: "violation" | "unknown" | "exempt";
  /** Whether it blocks an update. */
  readonly blocks: boolean;
  readonly exemption?: Exemption;
  /** What the user reads. */
  readonly message: string;
}

/** Environments in which policies with `inProduction` are mandatory. */
const PRODUCTION = /^(prod|production|live)([-_.].*)?$/;

/** Whether an environment is for production. */
export function isProduction(environment: string): boolean {
  return PRODUCTION.test(environment);
}

/** Whether a violation of a policy blocks an update in an environment. */
export function blocksIn(policy: Policy, environment: string): boolean {
  return policy.level === "MUST" && (policy.inProduction === undefined || isProduction(environment));
}

/** Evaluates a policy against a stack: its violations, those that an exemption covers, and what is not known yet. */
export function evaluate(policy: Policy, stack: Stack, context: PolicyContext): Evaluation[] {
  const blocks = blocksIn(policy, context.environment);
  return policy.find(stack, context).map((finding): Evaluation => {
    const { kind, ...rest } = finding;
    const common = { ...rest, policy: policy.name };
    if (kind === "unknown")
      return { ...common, outcome: kind, blocks: false, message: unknownMessage(policy, finding) };
    const all = [...context.exemptions, ...context.ownExemptions].filter((exemption) =>
      covers(exemption, policy.name, finding),
    );
    const exemption = all.find((one) => !isExpired(one, context.today));
    const message = violationMessage(finding);
    if (exemption !== undefined) return { ...common, outcome: "exempt", blocks: false, exemption, message };
    const [expired] = all;
    const note = expired?.expires === undefined ? "" : ` (Its exemption expired on ${expired.expires}.)`;
    return { ...common, outcome: "violation", blocks, message: `${message}${note}` };
  });
}

/** What, where, the value found and the fix. */
function violationMessage({ urn, property, found, fix }: Finding): string {
  return `${subjectOf(urn)}: ${property === "" ? "" : `${property} is `}${found}. ${fix}`;
}

function unknownMessage(policy: Policy, { urn, property, found, fix }: Finding): string {
  // The engine evaluates a resource again before it creates or changes it, and the stack once all resources exist.
  const when =
    policy.scope === "stack"
      ? "at the end of the update"
      : "during the update, before the resource is created or changed";
  const help = fix === "" ? `It will be evaluated ${when}.` : `It cannot be evaluated. ${fix}`;
  return `${subjectOf(urn)}: ${property === "" ? "a value" : property} ${found}. ${help}`;
}

function subjectOf(urn: string): string {
  const { type, name } = identityOf(urn);
  return name === "" ? "the stack" : `${type} "${name}"`;
}
