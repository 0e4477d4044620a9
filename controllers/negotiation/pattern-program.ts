// Turns a pattern in the dialect of the API server (RE2) into a program of small steps. What is rare in schemas, such as flags, is
// not read: such a pattern is left to the API server.
import { classAt, escapeAt, type Accepts } from "./pattern-class";

/** What has to hold between two characters. */
export type Assertion = "start" | "end" | "boundary" | "inside";

/** A step: it goes on with the one after it, except as it says. */
export type Step =
  | { what: "take"; accepts: Accepts }
  | { what: "assert"; assertion: Assertion }
  | { what: "split"; to: readonly number[] }
  | { what: "match" };

/** The steps, beginning with the first. */
export type Program = readonly Step[];

const MAX_STEPS = 20_000;
/** The most that RE2 takes for a count. */
const MAX_TIMES = 1000;
const MAX_DEPTH = 100;

class NotRead extends Error {}

/** The program of a pattern; undefined for one that is left to the API server. */
export function compilePattern(pattern: string): Program | undefined {
  try {
    return new Compiler(pattern).program();
  } catch (error) {
    if (error instanceof NotRead) return undefined;
    throw error;
  }
}

/** Steps whose targets are counted from their own beginning, so that they can stand anywhere and more than once. */
type Part = readonly Step[];

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  "^": "start",
  $: "end",
  "\\A": "start",
  "\\z": "end",
  "\\b": "boundary",
  "\\B": "inside",
};

class Compiler {
  readonly #text: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#text = Array.from(pattern);
  }

  program(): Program {
    const part = this.#alternatives();
    if (this.#at < this.#text.length) throw new NotRead();
    return joined(part, [{ what: "match" }]);
  }

  #alternatives(): Part {
    if (++this.#depth > MAX_DEPTH) throw new NotRead();
    let part = this.#sequence();
    while (this.#take("|")) part = either(part, this.#sequence());
    this.#depth -= 1;
    return part;
  }

  #sequence(): Part {
    let part: Part = [];
    for (let next = this.#text[this.#at]; next !== undefined && next !== "|" && next !== ")";) {
      part = joined(part, this.#repeated(this.#atom(next)));
      next = this.#text[this.#at];
    }
    return part;
  }

  #repeated(atom: Part): Part {
    const [least, most] = this.#count();
    // Whether it takes as much or as little as it can does not change whether it matches.
    this.#take("?");
    if (least === 1 && most === 1) return atom;
    if (/^[*+?{]$/.test(this.#text[this.#at] ?? "")) throw new NotRead();
    if (atom.length * Math.max(least, most === Infinity ? 1 : most) > MAX_STEPS) throw new NotRead();
    let part: Part = [];
    for (let count = 0; count < least; count++) part = joined(part, atom);
    if (most === Infinity) return joined(part, any(atom));
    let optional: Part = [];
    for (let count = least; count < most; count++) optional = either(joined(atom, optional), []);
    return joined(part, optional);
  }

  #count(): [least: number, most: number] {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    const rest = this.#text.slice(this.#at, this.#at + 12).join("");
    const [all, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(rest) ?? [];
    if (all === undefined) return [1, 1];
    this.#at += all.length;
    const from = Number(least);
    const to = comma === "" ? from : most === "" ? Infinity : Number(most);
    if (from > MAX_TIMES || (to !== Infinity && to > MAX_TIMES) || to < from) throw new NotRead();
    return [from, to];
  }

  #atom(next: string): Part {
    const assertion = ASSERTIONS[next] ?? ASSERTIONS[`${next}${this.#text[this.#at + 1] ?? ""}`];
    if (assertion !== undefined) {
      this.#at += ASSERTIONS[next] === undefined ? 2 : 1;
      return [{ what: "assert", assertion }];
    }
    if (next === "(") return this.#group();
    if (next === "[" || next === "\\") {
      const found = (next === "[" ? classAt : escapeAt)(this.#text, this.#at);
      if (found === undefined) throw new NotRead();
      this.#at = found.end;
      return [{ what: "take", accepts: found.accepts }];
    }
    if (next === "*" || next === "+" || next === "?") throw new NotRead();
    this.#at += 1;
    const own = next.codePointAt(0);
    return [{ what: "take", accepts: next === "." ? (one) => one !== 10 : (one) => one === own }];
  }

  #group(): Part {
    this.#at += 1;
    if (this.#take("?")) {
      const rest = this.#text.slice(this.#at, this.#at + 80).join("");
      const [head] = /^(?::|P?<[A-Za-z_]\w*>)/.exec(rest) ?? [];
      if (head === undefined) throw new NotRead();
      this.#at += head.length;
    }
    const part = this.#alternatives();
    if (!this.#take(")")) throw new NotRead();
    return part;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

function joined(first: Part, second: Part): Part {
  if (first.length + second.length > MAX_STEPS) throw new NotRead();
  return second.length === 0 ? first : [...first, ...moved(second, first.length)];
}

function either(first: Part, second: Part): Part {
  const end = first.length + second.length + 2;
  return limited([
    { what: "split", to: [1, first.length + 2] },
    ...moved(first, 1),
    { what: "split", to: [end] },
    ...moved(second, first.length + 2),
  ]);
}

function any(atom: Part): Part {
  return limited([
    { what: "split", to: [1, atom.length + 2] },
    ...moved(atom, 1),
    { what: "split", to: [0] },
  ]);
}

function limited(part: Part): Part {
  if (part.length > MAX_STEPS) throw new NotRead();
  return part;
}

function moved(part: Part, by: number): Step[] {
  return part.map((step) =>
    step.what === "split" ? { what: "split", to: step.to.map((target) => target + by) } : step,
  );
}
