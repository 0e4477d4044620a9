// How wrong arguments and settings are reported: all of them in one error, each with its path, the value found and the fix.
import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../api";

export type { Problem };

/**
 * Throws one error with all problems, if there are any. Called before anything is declared, so that a wrong argument
 * never leaves half a cluster.
 */
export function assertNoProblems(
  what: string,
  problems: readonly Problem[],
  resource?: pulumi.Resource,
): void {
  if (problems.length > 0) throw new pulumi.ResourceError(describe(what, problems), resource, true);
}

/** All problems as one message: `Invalid users (2 problems):` and a line for each. */
export function describe(what: string, problems: readonly Problem[]): string {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return [
    `Invalid ${what} (${count}):`,
    ...problems.map(({ path, message }) => `  ${path}: ${message}`),
  ].join("\n");
}

/** The same problems, further down: `count` below `servers` is `servers.count`. */
export function below(parent: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message }) => ({ path: joined(parent, path), message }));
}

/** The path of a member of something. */
export function joined(parent: string, path: string): string {
  if (parent === "" || path === "") return parent === "" ? path : parent;
  return path.startsWith("[") || parent.endsWith(":") ? `${parent}${path}` : `${parent}.${path}`;
}

/** The path of a member whose name may have dots in it. */
export function keyed(parent: string, key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? joined(parent, key) : `${parent}[${JSON.stringify(key)}]`;
}

/** A value as a message shows it. Whoever pastes the wrong half of a key must not find it in a log afterwards. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  if (text.includes("PRIVATE KEY")) return "a private key";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** `found 2: use 1, 3 or 5`. */
export function found(value: unknown, fix: string): string {
  return value === undefined ? `not set: ${fix}` : `found ${shown(value)}: ${fix}`;
}

/** The value of an input where it is plain; undefined for outputs, which are known only later. */
export function plain<T>(input: pulumi.Input<T> | undefined): T | undefined {
  return input === undefined || isDeferred(input) ? undefined : input;
}

/** Whether a value is known only later. */
export function isDeferred(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}
