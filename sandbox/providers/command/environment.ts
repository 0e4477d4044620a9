import { randomBytes } from "node:crypto";
import type { CheckFailure } from "../shell/kind";

/** Variables of a command. */
export type Variables = Readonly<Record<string, string>>;

/** The kernel refuses a single variable of 128 KiB (MAX_ARG_STRLEN), name included. */
const MAX_VARIABLE_BYTES = 128 * 1024 - 64;

/** What the last run of the command said. */
export interface PreviousOutput {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
}

/** The variables of a run: those of the program, and what the last run said. */
export function variables(
  environment: Variables | undefined,
  previous: PreviousOutput,
  addPrevious: boolean | undefined,
  warn: (message: string) => void,
): Variables {
  const earlier = Object.entries({
    PULUMI_COMMAND_STDOUT: previous.stdout ?? "",
    PULUMI_COMMAND_STDERR: previous.stderr ?? "",
  }).filter(([name, value]) => {
    if (addPrevious === false || value === "") return false;
    if (Buffer.byteLength(value) < MAX_VARIABLE_BYTES) return true;
    warn(
      `${name} is not set: the last output has ${Buffer.byteLength(value)} bytes, a variable holds at most ${MAX_VARIABLE_BYTES}.`,
    );
    return false;
  });
  return { ...environment, ...Object.fromEntries(earlier) };
}

/** What is wrong with the names of variables. */
export function variableFailures(environment: Variables | undefined): CheckFailure[] {
  return Object.entries(environment ?? {}).flatMap(([name, value]) => {
    const property = `environment.${name}`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      return [
        { property, reason: "must be named with letters, digits and _ only, and not begin with a digit" },
      ];
    }
    return value.includes("\0") ? [{ property, reason: "must not hold the character NUL" }] : [];
  });
}

/** A command line for a remote shell, and what it has to read first from its standard input. */
export interface RemoteScript {
  readonly command: string;
  readonly preamble: string;
  /** Begins the first line of the standard error; the process id follows. */
  readonly mark: string;
}

/**
 * Brings a script and its variables to a remote shell. SSH servers accept hardly any variables by themselves
 * (AcceptEnv), and in the command line everyone on the machine could read them; so a few lines of shell read them from
 * the standard input, line by line up to a mark, and then become the script, to which the rest of the input is left.
 * They also tell the process id: OpenSSH passes no signals on to processes of root, so that is how they are ended.
 */
export function remoteScript(
  script: string,
  environment: Variables,
  mark = randomBytes(16).toString("hex"),
): RemoteScript {
  const start =
    `echo "$2 $$" >&2; v=; while IFS= read -r l && [ "$l" != "$2" ]; do v="$v$l\n"; done; eval "$v"; unset v l; ` +
    `exec "\${SHELL:-/bin/sh}" -c "$1"`;
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  return {
    command: `exec /bin/sh -c ${quoted(start)} sh ${quoted(script)} ${mark}`,
    preamble: `${exports.join("")}${mark}\n`,
    mark,
  };
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
