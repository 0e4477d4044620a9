import * as pulumi from "@pulumi/pulumi";

/** One thing that is wrong: where, what was found, and the fix, in a sentence. */
export type Problem = string;

/**
 * Throws one error with all problems, if there are any. Called before anything is declared, so that a wrong setting
 * never leaves half a cluster.
 */
export function refuseProblems(what: string, problems: readonly Problem[], resource?: pulumi.Resource): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  throw new pulumi.ResourceError(
    `${what} cannot be built as it is described (${count}):\n${problems.map((text) => `  - ${text}`).join("\n")}`,
    resource,
    true,
  );
}

/** The value of an input where it is plain; undefined for outputs, which are known only later. */
export function plain<T>(input: pulumi.Input<T> | undefined): T | undefined {
  if (input === undefined || pulumi.Output.isInstance(input) || input instanceof Promise) return undefined;
  return input;
}
