import type { z } from "zod";

/** One thing that is wrong with an object or a setting. The only type of this name in the project. */
export interface Problem {
  /** The field as the user wrote it, such as `spec.sshKeys[0].key` or `fleetwright:users[0].sshKeys`. */
  path: string;
  /** The value found, the rule and the fix; in the API server's words where it has some. */
  message: string;
}

/** All problems as one text, a line each, as the API server writes them. */
export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join("\n");
}

/**
 * The problems of a zod issue, in the words of the API server, so that users learn one language. `at` is the path of
 * `root` where it is a part of something larger.
 */
export function problemsOf(issue: z.core.$ZodIssue, root: unknown, at = ""): Problem[] {
  const path = pathText(issue.path, at);
  const found = valueAt(root, issue.path);
  const shown = quote(found);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const field = pathText([...issue.path, key], at);
        return { path: field, message: `unknown field "${field}": remove it or correct its name` };
      });
    case "invalid_type":
      return [{ path, message: typeMessage(issue.expected, found, path) }];
    case "invalid_value":
      return [{ path, message: found === undefined ? "Required value" : unsupported(shown, issue.values) }];
    case "too_big":
      return [{ path, message: tooBig(issue, found, path) }];
    case "too_small":
      return [{ path, message: `Invalid value: ${shown}: ${path} in body should ${atLeast(issue)}` }];
    case "invalid_format":
      return [
        {
          path,
          message: `Invalid value: ${shown}: ${path} in body should match '${issue.pattern?.slice(1, -1) ?? issue.format}'`,
        },
      ];
    case "custom":
      return [{ path, message: `Invalid value: ${shown}: ${issue.message}` }];
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
      return [{ path, message: `Invalid value: ${shown}: ${issue.message}` }];
  }
}

/** A path as Kubernetes writes it, below `at`. */
export function pathText(path: readonly PropertyKey[], at = ""): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    return before === "" ? String(part) : `${before}.${String(part)}`;
  }, at);
}

function typeMessage(expected: string, found: unknown, path: string): string {
  if (found === undefined) return "Required value";
  // All numbers of the kinds are whole ones.
  const wanted = { int: "integer", number: "integer", record: "object" }[expected] ?? expected;
  return `Invalid value: ${quote(typeName(found))}: ${path} in body must be of type ${wanted}: ${quote(typeName(found))}`;
}

function unsupported(shown: string, values: readonly unknown[]): string {
  return `Unsupported value: ${shown}: supported values: ${values.map(quote).join(", ")}`;
}

function tooBig(issue: z.core.$ZodIssueTooBig, found: unknown, path: string): string {
  if (Array.isArray(found)) return `Too many: ${found.length}: must have at most ${issue.maximum} items`;
  if (typeof found === "string") return `Too long: may not be more than ${issue.maximum} bytes`;
  return `Invalid value: ${quote(found)}: ${path} in body should be less than or equal to ${issue.maximum}`;
}

function atLeast(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === "string") return `be at least ${issue.minimum} chars long`;
  if (issue.origin === "array") return `have at least ${issue.minimum} items`;
  return `be greater than or equal to ${issue.minimum}`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (here, part) => (typeof here === "object" && here !== null ? Reflect.get(here, part) : undefined),
    root,
  );
}

function quote(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  // Whoever pastes the wrong half of a key must not find it in a log afterwards.
  if (text.includes("PRIVATE KEY")) return '"(a private key)"';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
