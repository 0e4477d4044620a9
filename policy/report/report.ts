import { type Exemption, isExpired } from "../judge/exemption";
import { concerns } from "../judge/exemptions-policy";
import type { Level, Policy, Severity } from "../judge/policy";
import { Stack } from "../judge/resource";
import type { Surroundings } from "../judge/surroundings";
import { judge, stopsIn, type Verdict } from "../judge/verdict";
import type { Source } from "./source";

/** How a policy fared. */
export interface PolicyResult {
  readonly policy: string;
  readonly level: Level;
  /** Whether a violation stops an update of this stack. */
  readonly stops: boolean;
  readonly severity: Severity;
  readonly sources: readonly string[];
  /** How many resources it is about. */
  readonly judged: number;
  readonly passed: number;
  readonly violations: number;
  readonly unknown: number;
  readonly exempt: number;
}

/** An exemption and what became of it. */
export interface ExemptionResult extends Exemption {
  readonly state: "used" | "not needed" | "no such resource" | "over";
  /** How many findings it covered. */
  readonly covers: number;
}

/** What all policies say of a stack. */
export interface Report {
  readonly stack: string;
  readonly environment: string;
  readonly from: Source["kind"];
  readonly date: string;
  readonly resources: number;
  readonly stops: boolean;
  readonly policies: readonly PolicyResult[];
  readonly verdicts: readonly Verdict[];
  readonly exemptions: readonly ExemptionResult[];
}

/** Judges a stack by policies. */
export function reportOf(policies: readonly Policy[], source: Source, around: Surroundings): Report {
  const stacks = { resource: new Stack(source.byInputs), stack: new Stack(source.byOutputs) };
  const verdicts = new Map(policies.map((policy) => [policy, judge(policy, stacks[policy.judges], around)]));
  const all = [...verdicts.values()].flat();
  return {
    stack: source.stack,
    environment: around.environment,
    from: source.kind,
    date: around.today,
    resources: source.byInputs.length,
    stops: all.some(({ outcome, stops }) => outcome === "violation" && stops),
    policies: policies.map((policy) => resultOf(policy, source, verdicts.get(policy) ?? [], around)),
    verdicts: all,
    exemptions: around.exemptions.map((exemption) => exemptionResult(exemption, source, all, around.today)),
  };
}

function resultOf(
  policy: Policy,
  source: Source,
  verdicts: readonly Verdict[],
  around: Surroundings,
): PolicyResult {
  const judged = source.byInputs.filter(({ type }) => policy.types.includes(type)).length;
  const count = (outcome: Verdict["outcome"]): number =>
    verdicts.filter((one) => one.outcome === outcome).length;
  const touched = new Set(verdicts.map(({ urn }) => urn)).size;
  return {
    policy: policy.name,
    level: policy.level,
    stops: stopsIn(policy, around.environment),
    severity: policy.severity,
    sources: policy.sources,
    judged,
    passed: Math.max(0, judged - touched),
    violations: count("violation"),
    unknown: count("unknown"),
    exempt: count("exempt"),
  };
}

function exemptionResult(
  exemption: Exemption,
  source: Source,
  verdicts: readonly Verdict[],
  today: string,
): ExemptionResult {
  const covers = verdicts.filter((verdict) => verdict.exemption === exemption).length;
  const isThere = concerns(
    exemption.resource,
    source.byInputs.map(({ urn }) => urn),
  );
  const idle = isThere ? "not needed" : "no such resource";
  const state = isExpired(exemption, today) ? "over" : covers > 0 ? "used" : idle;
  return { ...exemption, state, covers };
}
