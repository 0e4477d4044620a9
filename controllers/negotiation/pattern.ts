// Whether a text matches a pattern from a cluster's schema. A pattern may have been made to be tried for years by an engine that goes
// back and forth, as JavaScript's does; this one goes through the text once, and reads the dialect of the API server.
import { compilePattern, type Assertion, type Program } from "./pattern-program";

/** Steps times characters: more is left to the API server, which has the time. */
const MAX_WORK = 20_000_000;
/** How many programs are kept: a fleet has some thousands. */
const KEPT = 10_000;

const known = new Map<string, Program | undefined>();

/** Whether the text has a match; undefined if that is left to the API server. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  if (!known.has(pattern)) {
    const [oldest] = known.keys();
    if (known.size >= KEPT && oldest !== undefined) known.delete(oldest);
    known.set(pattern, compilePattern(pattern));
  }
  const program = known.get(pattern);
  if (program === undefined) return undefined;
  const characters = Array.from(text, (one) => one.codePointAt(0) ?? 0);
  if (program.length * (characters.length + 1) > MAX_WORK) return undefined;
  return run(program, characters);
}

/** Follows all ways through the program at once, one character after another. */
function run(program: Program, text: readonly number[]): boolean {
  const seen = new Int32Array(program.length).fill(-1);
  let now: number[] = [];
  for (let at = 0; at <= text.length; at++) {
    // A match may begin anywhere.
    const next: number[] = [];
    const open = [...now, 0];
    const ready: number[] = [];
    while (open.length > 0) {
      const index = open.pop() ?? 0;
      if (seen[index] === at) continue;
      seen[index] = at;
      const step = program[index];
      if (step === undefined) continue;
      if (step.what === "match") return true;
      if (step.what === "split") open.push(...step.to);
      else if (step.what === "assert") {
        if (holds(step.assertion, text, at)) open.push(index + 1);
      } else ready.push(index);
    }
    const character = text[at];
    if (character === undefined) return false;
    for (const index of ready) {
      const step = program[index];
      if (step?.what === "take" && step.accepts(character)) next.push(index + 1);
    }
    now = next;
  }
  return false;
}

function holds(assertion: Assertion, text: readonly number[], at: number): boolean {
  if (assertion === "start") return at === 0;
  if (assertion === "end") return at === text.length;
  const isBoundary = isWord(text[at - 1]) !== isWord(text[at]);
  return assertion === "boundary" ? isBoundary : !isBoundary;
}

function isWord(character: number | undefined): boolean {
  return character !== undefined && /^\w$/.test(String.fromCodePoint(character));
}
