// Faults of AWS that a test asks for: throttling, errors, delays.
import { z } from "zod";
import { Failure } from "../../lib/failure";
import type { Refusal } from "./answer";
import type { Call } from "./call";

const effect = z.discriminatedUnion("kind", [
  /** The service asks to slow down. */
  z.object({ kind: z.literal("throttle") }),
  /** There is no room for another instance of this type. */
  z.object({ kind: z.literal("capacity") }),
  /** Any error. */
  z.object({
    kind: z.literal("error"),
    code: z.string(),
    message: z.string().default("An error of the sandbox's faults."),
    status: z.number().int().min(400).max(599).default(500),
  }),
  /** The answer comes late. */
  z.object({ kind: z.literal("delay"), ms: z.number().nonnegative() }),
  /** What is made cannot be found for some calls, or for some time. */
  z.object({
    kind: z.literal("unseen"),
    calls: z.number().int().positive().optional(),
    ms: z.number().positive().optional(),
  }),
]);

const fault = z.strictObject({
  /** Only this service, by its signing name: ec2, iam, eks, elasticloadbalancing, autoscaling, … */
  service: z.string().optional(),
  /** Only this action. For `unseen`: only what this action made. */
  action: z.string().optional(),
  effect,
  /** Ends after it took effect this often. */
  times: z.number().int().positive().optional(),
  /** Takes effect on this share of the calls. @default 1 */
  rate: z.number().min(0).max(1).optional(),
  /** Decides which calls those are: the same seed gives the same ones. @default 1 */
  seed: z.number().int().optional(),
});

/** Something that goes wrong on purpose. */
export type Fault = z.input<typeof fault>;

interface Active {
  id: number;
  fault: z.output<typeof fault>;
  left: number;
  random: () => number;
}

/** What a call has to suffer. */
export interface Suffering {
  delayMs: number;
  refusal?: Refusal;
}

/** Faults on demand. */
export class Faults {
  #active: Active[] = [];
  #next = 1;

  /** Begins a fault and gives its number. */
  add(wanted: Fault): number {
    return this.addUnchecked(wanted);
  }

  /** The same for what came over the wire: every field is checked. */
  addUnchecked(wanted: unknown): number {
    const parsed = fault.safeParse(wanted);
    if (!parsed.success) throw new Failure(`This is no fault: ${z.prettifyError(parsed.error)}`);
    const { data } = parsed;
    if (data.effect.kind === "unseen" && data.effect.calls === undefined && data.effect.ms === undefined) {
      throw new Failure(
        'A fault of the kind "unseen" needs `calls` or `ms`: for how long things are not found.',
      );
    }
    const id = this.#next++;
    this.#active.push({ id, fault: data, left: data.times ?? Infinity, random: randomFrom(data.seed ?? 1) });
    return id;
  }

  /** Ends one fault, or all of them. */
  clear(id?: number): void {
    this.#active = id === undefined ? [] : this.#active.filter((active) => active.id !== id);
  }

  /** The faults that are at work. */
  list(): { id: number; fault: Fault }[] {
    return this.#active.map(({ id, fault: active }) => ({ id, fault: active }));
  }

  /** Decides what happens to a call before it is looked at. */
  suffer(call: Call): Suffering {
    const suffering: Suffering = { delayMs: 0 };
    for (const active of this.#matching(call)) {
      if (active.fault.effect.kind === "unseen") continue;
      if (active.fault.effect.kind === "capacity" && call.action !== "RunInstances") continue;
      if (!this.#strikes(active)) continue;
      if (active.fault.effect.kind === "delay") suffering.delayMs += active.fault.effect.ms;
      else suffering.refusal ??= refusalOf(active.fault.effect, call);
    }
    return suffering;
  }

  /** For how long what a call made is not to be found. */
  hides(call: Call): { calls: number; ms: number } | undefined {
    for (const active of this.#matching(call)) {
      if (active.fault.effect.kind !== "unseen" || !this.#strikes(active)) continue;
      return { calls: active.fault.effect.calls ?? Infinity, ms: active.fault.effect.ms ?? Infinity };
    }
    return undefined;
  }

  #matching({ service, action }: Call): Active[] {
    return this.#active.filter(
      ({ fault: wanted, left }) =>
        left > 0 &&
        (wanted.service === undefined || wanted.service === service) &&
        (wanted.action === undefined || wanted.action === action),
    );
  }

  #strikes(active: Active): boolean {
    if (active.random() >= (active.fault.rate ?? 1)) return false;
    active.left -= 1;
    if (active.left === 0) this.clear(active.id);
    return true;
  }
}

function refusalOf(effect: z.output<typeof fault>["effect"], call: Call): Refusal {
  switch (effect.kind) {
    case "error":
      return { code: effect.code, message: effect.message, status: effect.status };
    case "capacity":
      return {
        code: "InsufficientInstanceCapacity",
        message:
          "We currently do not have sufficient capacity in the Availability Zone you requested. Our system will be working on provisioning additional capacity.",
        status: 500,
      };
    case "throttle":
      return call.protocol === "ec2"
        ? { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 }
        : call.service === "s3"
          ? { code: "SlowDown", message: "Please reduce your request rate.", status: 503 }
          : { code: throttlingCode(call), message: "Rate exceeded", status: 400 };
    case "delay":
    case "unseen":
      throw new Failure(`A fault of the kind "${effect.kind}" refuses nothing.`);
  }
}

function throttlingCode({ protocol }: Call): string {
  return protocol === "query" ? "Throttling" : "ThrottlingException";
}

/** Numbers from 0 up to 1 that follow from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
