import { type Exemption, isAbout, isExpired } from "../core/exemption";
import type { Level, Policy, Severity } from "../core/policy";
import { Stack } from "../core/resource";
import type { PolicyContext } from "../core/policy-context";
import { evaluate, blocksIn, type Evaluation } from "../core/evaluation";
import type { Source } from "./source";

/** The result of a policy for a stack. */
export interface PolicyResult {
  readonly policy: string;
  readonly level: Level;
  /** Whether a violation blocks an update of this stack. */
  readonly blocks: boolean;
  readonly severity: Severity;
  readonly sources: readonly string[];
  /** How many resources it was evaluated for. */
  readonly evaluated: number;
  readonly passed: number;
  readonly violations: number;
  readonly unknown: number;
  readonly exempt: number;
}

/** An exemption, and whether it is used. */
export interface ExemptionResult extends Exemption {
  readonly state: "used" | "not needed" | "no such resource" | "expired";
  /** How many findings it covered. */
  readonly covers: number;
}

/** The results of all policies for a stack. */
export interface Report {
  readonly stack: string;
  readonly environment: string;
  readonly from: Source["kind"];
  readonly date: string;
  readonly resources: number;
  readonly blocks: boolean;
  readonly policies: readonly PolicyResult[];
  readonly evaluations: readonly Evaluation[];
  readonly exemptions: readonly ExemptionResult[];
}

/** Evaluates policies against a stack. */
export function reportOf(policies: readonly Policy[], source: Source, context: PolicyContext): Report {
  const stacks = { resource: new Stack(source.byInputs), stack: new Stack(source.byOutputs) };
  const evaluations = new Map(
    policies.map((policy) => [policy, evaluate(policy, stacks[policy.scope], context)]),
  );
  const all = [...evaluations.values()].flat();
  return {
    stack: source.stack,
    environment: context.environment,
    from: source.kind,
    date: context.today,
    resources: source.byInputs.length,
    blocks: all.some(({ outcome, blocks }) => outcome === "violation" && blocks),
    policies: policies.map((policy) => resultOf(policy, source, evaluations.get(policy) ?? [], context)),
    evaluations: all,
    exemptions: [
      ...context.exemptions.map((exemption) => exemptionResult(exemption, source, all, context.today)),
      // Those of our own components matter only where such a component exists.
      ...context.ownExemptions
        .map((exemption) => exemptionResult(exemption, source, all, context.today))
        .filter(({ covers }) => covers > 0),
    ],
  };
}

function resultOf(
  policy: Policy,
  source: Source,
  evaluations: readonly Evaluation[],
  context: PolicyContext,
): PolicyResult {
  const evaluated = source.byInputs.filter(({ type }) => policy.types.includes(type)).length;
  const count = (outcome: Evaluation["outcome"]): number =>
    evaluations.filter((one) => one.outcome === outcome).length;
  const touched = new Set(evaluations.map(({ urn }) => urn)).size;
  return {
    policy: policy.name,
    level: policy.level,
    blocks: blocksIn(policy, context.environment),
    severity: policy.severity,
    sources: policy.sources,
    evaluated,
    passed: Math.max(0, evaluated - touched),
    violations: count("violation"),
    unknown: count("unknown"),
    exempt: count("exempt"),
  };
}

function exemptionResult(
  exemption: Exemption,
  source: Source,
  evaluations: readonly Evaluation[],
  today: string,
): ExemptionResult {
  const covers = evaluations.filter((evaluation) => evaluation.exemption === exemption).length;
  const exists = source.byInputs.some(({ urn }) => isAbout(exemption, urn));
  const unused = exists ? "not needed" : "no such resource";
  const state = isExpired(exemption, today) ? "expired" : covers > 0 ? "used" : unused;
  return { ...exemption, state, covers };
}
