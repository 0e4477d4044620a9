import { setTimeout as pause } from "node:timers/promises";
import { errorCodeOf, refuse } from "./answer";
import type { Backend, RawAnswer, RawRequest } from "./backend";
import { parseCall, type Call } from "./call";
import type { Faults } from "./faults";
import { idsIn, namesIn, type Ledger } from "./ledger";
import type { Replays } from "./replays";
import { isRefusal, type Addition, type RefusalRule, type RuleContext } from "./rule";
import { Mutex } from "./mutex";
import { Visibility } from "./visibility";

/** What a call goes through. */
export interface PipelineParts {
  backend: Backend;
  context: RuleContext;
  refusals: readonly RefusalRule[];
  additions: readonly Addition[];
  faults: Faults;
  ledger: Ledger;
  replays: Replays;
  /** Called after every call that changed something, once the change is on disk; the caller's answer waits for it. */
  changed: (call: Call) => Promise<void>;
}

interface Outcome {
  answer: RawAnswer;
  answeredBy?: string;
}

/** Answers calls: faults first, then rules and additions, then moto; every call ends in the ledger. */
export class Pipeline {
  readonly #mutex = new Mutex();
  readonly #visibility: Visibility;

  constructor(readonly parts: PipelineParts) {
    this.#visibility = new Visibility(parts.context.now);
  }

  /** Answers one request. */
  async handle(raw: RawRequest): Promise<RawAnswer> {
    const began = performance.now();
    const time = new Date().toISOString();
    const call = parseCall(raw);
    const { answer, answeredBy } = await this.#outcome(call);
    const code = errorCodeOf(call, answer);
    const made = call.mutating && code === undefined ? madeBy(call, answer) : [];
    this.parts.ledger.record({
      time,
      service: call.service,
      action: call.action,
      region: call.region,
      mutating: call.mutating,
      ids: [...new Set([...namesIn(call), ...made])],
      result: code ?? "ok",
      durationMs: Math.round(performance.now() - began),
      ...(answeredBy === undefined ? {} : { answeredBy }),
    });
    if (call.mutating && code === undefined) await this.parts.changed(call);
    return answer;
  }

  async #outcome(call: Call): Promise<Outcome> {
    const { delayMs, refusal } = this.parts.faults.suffer(call);
    if (delayMs > 0) await pause(delayMs);
    if (refusal !== undefined) return { answer: refuse(call, refusal), answeredBy: "fault" };
    const unseen = this.#visibility.check(call);
    if (unseen !== undefined) return { answer: refuse(call, unseen), answeredBy: "fault: unseen" };
    if (!call.mutating) return this.#carryOut(call);
    // A rule looks and moto acts: nothing may change in between.
    const outcome = await this.#mutex.run(async () => {
      const known = this.parts.replays.find(call);
      if (known !== undefined) return { answer: known, answeredBy: "replay" };
      return (await this.#refused(call)) ?? this.#carryOut(call);
    });
    if (outcome.answer.status < 400) {
      await this.parts.backend.control("commit");
      if (outcome.answeredBy !== "replay") this.parts.replays.note(call, outcome.answer);
      const span = this.parts.faults.hides(call);
      if (span !== undefined) this.#visibility.hide(call, outcome.answer.body.toString(), span);
    }
    return outcome;
  }

  async #refused(call: Call): Promise<Outcome | undefined> {
    const name = `${call.service}:${call.action}`;
    for (const rule of this.parts.refusals.filter(({ calls }) => calls.includes(name))) {
      const refusal = await rule.check(call, this.parts.context);
      if (refusal !== undefined) return { answer: refuse(call, refusal), answeredBy: `rule: ${rule.name}` };
    }
    return undefined;
  }

  async #carryOut(call: Call): Promise<Outcome> {
    const { additions, backend, context } = this.parts;
    for (const addition of additions) {
      const own = await addition.answer(call, context);
      if (own === undefined) continue;
      return { answer: isRefusal(own) ? refuse(call, own) : own, answeredBy: `addition: ${addition.name}` };
    }
    let answer = await backend.send(call.raw);
    if (answer.status >= 400) return { answer: readable(call, answer) };
    for (const addition of additions) answer = (await addition.amend?.(call, answer, context)) ?? answer;
    return { answer };
  }
}

// moto answers what it does not know with a page of HTML, which clients report as "invalid XML".
function readable(call: Call, answer: RawAnswer): RawAnswer {
  if (!answer.body.toString("latin1", 0, 20).toLowerCase().startsWith("<!doctype html")) return answer;
  return refuse(call, {
    code: "NotImplemented",
    message: `The sandbox does not know ${call.service}:${call.action} with these parameters (moto answered ${answer.status}).`,
    status: 501,
  });
}

// Answers of KMS, SSM and IAM may hold keys; the names in their calls say enough.
function madeBy(call: Call, answer: RawAnswer): string[] {
  return ["ec2", "elasticloadbalancing", "autoscaling", "eks"].includes(call.service)
    ? idsIn(answer.body.toString())
    : [];
}
