// Command line flags of the coordinator and the agent, with the environment and defaults behind them.
import { parseArgs } from "node:util";
import type { Level } from "../runtime";
import { parseFailpoint } from "./failpoint";

/** A flag of a program; all are texts on the command line. */
export interface Flag {
  /** What kind of value it takes, for `--help`. */
  value: string;
  default: string;
  describes: string;
}

/** The command line is wrong in one or more ways. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

/** Reads the flags, then the environment (`FLEETWRIGHT_` and the name in capitals), then the defaults. */
export class FlagReader<Name extends string> {
  /** What is wrong, so far. */
  readonly problems: string[] = [];
  readonly #flags: Readonly<Record<Name, Flag>>;
  readonly #given: ReadonlyMap<string, string>;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(
    flags: Readonly<Record<Name, Flag>>,
    argv: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#flags = flags;
    this.#given = flagsIn(argv, Object.keys(flags));
    this.#env = env;
  }

  text(name: Name): string {
    const variable = `FLEETWRIGHT_${name.toUpperCase().replaceAll("-", "_")}`;
    return this.#given.get(name) ?? this.#env[variable] ?? this.#flags[name].default;
  }

  number(name: Name, least: number, most = 1_000_000): number {
    const text = this.text(name);
    const value = Number(text);
    if (text === "" || !Number.isInteger(value) || value < least || value > most)
      this.#refuse(name, `give a whole number from ${least} to ${most}`);
    return value;
  }

  oneOf<Choice extends string>(name: Name, choices: readonly [Choice, ...Choice[]], words: string): Choice {
    const found = choices.find((choice) => choice === this.text(name));
    if (found === undefined) this.#refuse(name, words);
    return found ?? choices[0];
  }

  level(name: Name): Level {
    const level = LEVELS.find((candidate) => candidate === this.text(name));
    if (level === undefined) this.#refuse(name, `give one of ${LEVELS.join(", ")}`);
    return level ?? "info";
  }

  failpoint(name: Name): number | undefined {
    if (this.text(name) === "") return undefined;
    try {
      return parseFailpoint(this.text(name));
    } catch {
      this.#refuse(name, "give write=N, with N from 1");
      return undefined;
    }
  }

  /** Throws an error with all that is wrong. */
  finish(program: string): void {
    if (this.problems.length === 0) return;
    throw new UsageError(
      `The ${program} cannot start:\n${this.problems.map((line) => `  ${line}`).join("\n")}`,
    );
  }

  #refuse(name: Name, fix: string): void {
    this.problems.push(`--${name} is ${JSON.stringify(this.text(name))}: ${fix}`);
  }
}

function flagsIn(argv: readonly string[], names: readonly string[]): Map<string, string> {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true });
    return new Map(
      Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nSee --help.`);
  }
}

/** Which of the known controllers a list such as `*,-upgrades` chooses. */
export function chooseControllers(list: string, known: readonly string[], problems: string[] = []): string[] {
  const words = list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  for (const word of words) {
    const name = word.replace(/^-/, "");
    if (word !== "*" && !known.includes(name))
      problems.push(`--controllers names ${JSON.stringify(name)}: there are ${known.join(", ")}`);
  }
  const chosen = known.filter(
    (name) => (words.includes("*") || words.includes(name)) && !words.includes(`-${name}`),
  );
  if (chosen.length === 0 && problems.length === 0)
    problems.push(
      `--controllers is ${JSON.stringify(list)}, which chooses none: there are ${known.join(", ")}`,
    );
  return chosen;
}

/** What `--help` prints: one sentence, the flags and the controllers. */
export function helpText(
  sentence: string,
  flags: Readonly<Record<string, Flag>>,
  controllers: readonly { name: string; description: string }[],
): string {
  const lines = Object.entries(flags).map(([name, { value, describes, default: otherwise }]) => {
    const shown = otherwise === "" ? "" : ` (default ${otherwise})`;
    return `  ${`--${name} <${value}>`.padEnd(26)} ${describes}${shown}`;
  });
  return [
    sentence,
    "",
    "Flags, each also as FLEETWRIGHT_<NAME> in the environment:",
    ...lines,
    "",
    "Controllers:",
    ...controllers.map(({ name, description }) => `  ${name.padEnd(26)} ${description}`),
    "",
  ].join("\n");
}
