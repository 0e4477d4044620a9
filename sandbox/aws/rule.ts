import type { RawAnswer } from "./backend";
import type { Call } from "./call";
import type { Refusal } from "./answer";
import type { Clients } from "./clients";

/** What a rule may look at: the state of the account, before any fault or delay. */
export interface RuleContext {
  aws: Clients;
  region: string;
  now: () => number;
}

/** One thing that AWS refuses and moto does not. Rules run one after another, and nothing changes meanwhile. */
export interface RefusalRule {
  name: string;
  /** `service:Action` of the calls it looks at. */
  calls: readonly string[];
  check: (call: Call, context: RuleContext) => Promise<Refusal | undefined>;
}

/** Something that moto does not know: it answers calls by itself, or changes what moto answered. */
export interface Addition {
  name: string;
  /** The answer, or undefined where the call is none of its business. */
  answer: (call: Call, context: RuleContext) => Promise<RawAnswer | Refusal | undefined>;
  /** Changes moto's answer to a call that was carried out. */
  amend?: (call: Call, answer: RawAnswer, context: RuleContext) => Promise<RawAnswer>;
}

/** Whether an addition refuses. */
export function isRefusal(outcome: RawAnswer | Refusal): outcome is Refusal {
  return "code" in outcome;
}
