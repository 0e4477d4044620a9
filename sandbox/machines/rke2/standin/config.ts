import { load } from "js-yaml";
import { errorMessage, Failure } from "../../../../lib/failure";
import { isObject } from "../../../../lib/json";
import { keyOf, type KeyKind } from "./config-keys";

/** The configuration of a node. */
export type Role = "server" | "agent";

/** The value of a key; a list has at least one entry. */
export type ConfigValue = string | boolean | number | readonly string[];

/** The keys that were given, with their last value. */
export type Config = Readonly<Record<string, ConfigValue>>;

/** A configuration file as it was found. */
export interface ConfigFile {
  path: string;
  text: string;
}

/**
 * Reads `config.yaml` and the files of `config.yaml.d` in their order, then the command line. The last value of a key
 * wins; `key+` adds to a list instead. All problems are reported at once.
 */
export function parseConfig(role: Role, files: readonly ConfigFile[], argv: readonly string[]): Config {
  const problems: string[] = [];
  const config: Record<string, ConfigValue> = {};
  const take = (from: string, name: string, value: unknown): void => {
    const appends = name.endsWith("+");
    const key = appends ? name.slice(0, -1) : name;
    const known = keyOf(key, role);
    if (known === undefined) {
      problems.push(unknownKey(from, key, role));
      return;
    }
    const parsed = valueOf(known.kind, value);
    if (parsed === undefined) {
      problems.push(`${from}: ${key} must be ${KIND_WORDS[known.kind]}; found ${JSON.stringify(value)}.`);
      return;
    }
    const before = config[key];
    config[key] =
      appends && Array.isArray(parsed) && Array.isArray(before)
        ? [...textList(before), ...textList(parsed)]
        : parsed;
  };
  for (const { path, text } of files) {
    const values = readYaml(path, text, problems);
    for (const [name, value] of Object.entries(values)) if (value !== null) take(path, name, value);
  }
  for (const [name, value] of flagsOf(role, argv, problems)) take("the command line", name, value);
  if (problems.length > 0) throw new Failure(problems.join("\n"));
  return config;
}

// RKE2 itself says this of a key in a file and goes on without it. The stand-in says the same words and stops: a
// setting that has no effect is worth a failed start in the sandbox, where the cluster can be made anew.
function unknownKey(from: string, key: string, role: Role): string {
  return from === "the command line"
    ? `flag provided but not defined: -${key}`
    : `Unknown flag --${key} found in config.yaml, skipping is not done by the sandbox's stand-in (${from}, rke2 ${role}). Remove or correct the key.`;
}

const KIND_WORDS: Readonly<Record<KeyKind, string>> = {
  text: "a text",
  flag: "true or false",
  number: "a number",
  list: "a text or a list of texts",
};

function readYaml(path: string, text: string, problems: string[]): Record<string, unknown> {
  try {
    const value = load(text) ?? {};
    if (isObject(value)) return value;
    problems.push(`${path}: expected keys with values; found ${JSON.stringify(value)}.`);
  } catch (error) {
    problems.push(`${path} is not YAML: ${errorMessage(error).split("\n")[0] ?? ""}`);
  }
  return {};
}

/** `--key value`, `--key=value`, and a flag alone, as the command line of RKE2 takes them. */
function flagsOf(role: Role, argv: readonly string[], problems: string[]): [string, unknown][] {
  const flags: [string, unknown][] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    const match = /^--?([a-z0-9-]+)(?:=(.*))?$/s.exec(word);
    if (match === null) {
      problems.push(`unexpected argument: ${word}`);
      continue;
    }
    const [, name = "", given] = match;
    const isFlag = keyOf(name, role)?.kind === "flag";
    const value = given ?? (isFlag ? "true" : argv[++index]);
    if (value === undefined) problems.push(`flag needs an argument: -${name}`);
    else flags.push([name, value]);
  }
  return gathered(flags, role);
}

/** A list flag that is given several times is one list. */
function gathered(flags: readonly [string, unknown][], role: Role): [string, unknown][] {
  const result = new Map<string, unknown>();
  for (const [name, value] of flags) {
    const before = result.get(name);
    result.set(
      name,
      keyOf(name, role)?.kind === "list" && Array.isArray(before)
        ? [...textList(before), value]
        : keyOf(name, role)?.kind === "list"
          ? [value]
          : value,
    );
  }
  return [...result];
}

function valueOf(kind: KeyKind, value: unknown): ConfigValue | undefined {
  switch (kind) {
    case "text":
      return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    case "flag":
      if (typeof value === "boolean") return value;
      return value === "true" ? true : value === "false" ? false : undefined;
    case "number":
      return typeof value === "number" || (typeof value === "string" && /^-?\d+$/.test(value))
        ? Number(value)
        : undefined;
    case "list": {
      const entries = Array.isArray(value) ? value : [value];
      const texts = entries.flatMap((entry) =>
        ["string", "number", "boolean"].includes(typeof entry) ? [String(entry)] : [],
      );
      return texts.length === entries.length ? texts : undefined;
    }
  }
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
