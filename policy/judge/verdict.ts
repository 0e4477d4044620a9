import { covers, type Exemption, isExpired } from "./exemption";
import type { Policy } from "./policy";
import type { Finding } from "./property";
import { identityOf, type Stack } from "./resource";
import type { Surroundings } from "./surroundings";

/** What came of a finding. */
export interface Verdict extends Omit<Finding, "kind"> {
  readonly policy: string;
  /** `unknown` cannot be judged yet; `exempt` would be a violation without its exemption. */
  readonly outcome: "violation" | "unknown" | "exempt";
  /** Whether it stops an update. */
  readonly stops: boolean;
  readonly exemption?: Exemption;
  /** The sentence for people. */
  readonly message: string;
}

/** Environments in which policies that are for production count. */
const PRODUCTION = /^(prod|production|live)([-_.].*)?$/;

/** Whether an environment is for production. */
export function isProduction(environment: string): boolean {
  return PRODUCTION.test(environment);
}

/** Whether a violation of a policy stops an update there. */
export function stopsIn(policy: Policy, environment: string): boolean {
  return policy.level === "MUST" && (policy.inProduction === undefined || isProduction(environment));
}

/** Judges resources by a policy, with what is exempt told apart. */
export function judge(policy: Policy, stack: Stack, around: Surroundings): Verdict[] {
  const stops = stopsIn(policy, around.environment);
  return policy.find(stack, around).map((finding): Verdict => {
    const { kind, ...rest } = finding;
    const common = { ...rest, policy: policy.name };
    if (kind === "unknown")
      return { ...common, outcome: kind, stops: false, message: unknownMessage(policy, finding) };
    const all = around.exemptions.filter((exemption) => covers(exemption, policy.name, finding));
    const exemption = all.find((one) => !isExpired(one, around.today));
    const message = violationMessage(finding);
    if (exemption !== undefined) return { ...common, outcome: "exempt", stops: false, exemption, message };
    const [over] = all;
    const late = over === undefined ? "" : ` (Its exemption ended on ${over.expires}.)`;
    return { ...common, outcome: "violation", stops, message: `${message}${late}` };
  });
}

/** What, where, the value found and the fix. */
function violationMessage({ urn, property, found, fix }: Finding): string {
  return `${subjectOf(urn)}: ${property === "" ? "" : `${property} is `}${found}. ${fix}`;
}

function unknownMessage(policy: Policy, { urn, property, found, fix }: Finding): string {
  // The engine judges a resource again before it touches it, and a stack when all of it is there.
  const when =
    policy.judges === "stack" ? "at the end of the update" : "in the update, before it is made or changed";
  const help = fix === "" ? `It is judged ${when}.` : `It cannot be judged here. ${fix}`;
  return `${subjectOf(urn)}: ${property === "" ? "something" : property} ${found}. ${help}`;
}

function subjectOf(urn: string): string {
  const { type, name } = identityOf(urn);
  return name === "" ? "the stack" : `${type} "${name}"`;
}
