// The sets of characters in a pattern: escapes such as \d, and classes in brackets, as RE2 has them.

/** Whether a character, by its code point, belongs to a set. */
export type Accepts = (character: number) => boolean;

/** A set that was read, and where the pattern goes on. */
export interface Read {
  accepts: Accepts;
  end: number;
  /** The character, if it is a single one, which may begin or end a range. */
  single?: number;
}

const within =
  (...ranges: readonly (readonly [string, string])[]): Accepts =>
  (character) =>
    ranges.some(
      ([from, to]) => character >= (from.codePointAt(0) ?? 0) && character <= (to.codePointAt(0) ?? 0),
    );

const DIGIT = within(["0", "9"]);
const WORD = within(["0", "9"], ["A", "Z"], ["a", "z"], ["_", "_"]);
const SPACE = within(["\t", "\n"], ["\f", "\r"], [" ", " "]);
const not =
  (set: Accepts): Accepts =>
  (character) =>
    !set(character);

const SETS: Readonly<Record<string, Accepts>> = {
  d: DIGIT,
  D: not(DIGIT),
  w: WORD,
  W: not(WORD),
  s: SPACE,
  S: not(SPACE),
};
const CONTROLS: Readonly<Record<string, string>> = {
  t: "\t",
  n: "\n",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\u0007",
};
const NAMED: Readonly<Record<string, Accepts>> = {
  alnum: within(["0", "9"], ["A", "Z"], ["a", "z"]),
  alpha: within(["A", "Z"], ["a", "z"]),
  digit: DIGIT,
  lower: within(["a", "z"]),
  upper: within(["A", "Z"]),
  space: within(["\t", "\r"], [" ", " "]),
  blank: within(["\t", "\t"], [" ", " "]),
  word: WORD,
  xdigit: within(["0", "9"], ["A", "F"], ["a", "f"]),
  punct: within(["!", "/"], [":", "@"], ["[", "`"], ["{", "~"]),
};

/** Reads the escape that begins at a place with a backslash; undefined for one that is not known. */
export function escapeAt(text: readonly string[], at: number): Read | undefined {
  const next = text[at + 1] ?? "";
  const set = SETS[next];
  if (set !== undefined) return { accepts: set, end: at + 2 };
  const rest = text.slice(at, at + 40).join("");
  const [all, two, more] = /^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(rest) ?? [];
  if (all !== undefined) return single(parseInt(two ?? more ?? "", 16), at + all.length);
  const [property, sign = "", letter, name] = /^\\([pP])(?:([LMNPSZC])|\{([A-Za-z_]+)\})/.exec(rest) ?? [];
  if (property !== undefined) return propertyOf(letter ?? name ?? "", sign === "P", at + property.length);
  const control = CONTROLS[next];
  if (control !== undefined) return single(control.codePointAt(0) ?? 0, at + 2);
  // Any other letter or digit has a meaning of its own, or none at all.
  return /^[!-/:-@[-`{-~]$/.test(next) ? single(next.codePointAt(0) ?? 0, at + 2) : undefined;
}

function propertyOf(name: string, isNegated: boolean, end: number): Read | undefined {
  for (const property of [name, `Script=${name}`]) {
    try {
      const one = new RegExp(`^\\p{${property}}$`, "u");
      const accepts: Accepts = (character) => one.test(String.fromCodePoint(character));
      return { accepts: isNegated ? not(accepts) : accepts, end };
    } catch {
      continue;
    }
  }
  return undefined;
}

function single(character: number, end: number): Read {
  return { accepts: (one) => one === character, end, single: character };
}

/** Reads the class that begins at a place with a bracket. */
export function classAt(text: readonly string[], start: number): Read | undefined {
  const isNegated = text[start + 1] === "^";
  let at = start + (isNegated ? 2 : 1);
  const sets: Accepts[] = [];
  for (let first = true; first || text[at] !== "]"; first = false) {
    const from = memberAt(text, at);
    if (from === undefined) return undefined;
    at = from.end;
    if (text[at] !== "-" || text[at + 1] === "]" || text[at + 1] === undefined) {
      sets.push(from.accepts);
      continue;
    }
    const to = memberAt(text, at + 1);
    const [low, high] = [from.single, to?.single];
    if (to === undefined || low === undefined || high === undefined || high < low) return undefined;
    sets.push((character) => character >= low && character <= high);
    at = to.end;
  }
  const accepts: Accepts = (character) => sets.some((set) => set(character));
  return { accepts: isNegated ? not(accepts) : accepts, end: at + 1 };
}

function memberAt(text: readonly string[], at: number): Read | undefined {
  const next = text[at];
  if (next === undefined) return undefined;
  if (next === "\\") return escapeAt(text, at);
  if (next === "[" && text[at + 1] === ":") {
    const [all, sign, name = ""] = /^\[:(\^?)([a-z]+):\]/.exec(text.slice(at, at + 14).join("")) ?? [];
    const named = NAMED[name];
    if (all === undefined || named === undefined) return undefined;
    return { accepts: sign === "^" ? not(named) : named, end: at + all.length };
  }
  return single(next.codePointAt(0) ?? 0, at + 1);
}
