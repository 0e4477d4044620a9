import { randomBytes } from "node:crypto";
import type { CheckFailure } from "../shell/kind";
import { quotedAsInGo } from "./go-words";

/** Variables of a command. */
export type Variables = Readonly<Record<string, string>>;

/** What the last run of the command said. */
export interface PreviousOutput {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
}

/** The variables that say what the last run said. */
export function previousVariables(previous: PreviousOutput, isWanted: boolean | undefined): Variables {
  const all = {
    PULUMI_COMMAND_STDOUT: previous.stdout ?? "",
    PULUMI_COMMAND_STDERR: previous.stderr ?? "",
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => isWanted !== false && value !== ""));
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

/** A command line for a remote shell. */
export interface RemoteScript {
  readonly command: string;
  /** Begins the first line of the standard error; the process id follows. */
  readonly mark: string;
}

/**
 * A script as a command line that tells its process id before it becomes the script: OpenSSH passes no signals on to processes of
 * root, so that is how they are ended.
 */
export function remoteScript(script: string, mark = randomBytes(16).toString("hex")): RemoteScript {
  const start = 'echo "$2 $$" >&2; exec "${SHELL:-/bin/sh}" -c "$1"';
  return { command: `exec /bin/sh -c ${quoted(start)} sh ${quoted(script)} ${mark}`, mark };
}

/**
 * A command that names those of some variables that hold a value of chance: SSH servers leave out what their AcceptEnv does not name,
 * and the SSH library does not pass on that they say so.
 */
export function acceptedProbe(names: readonly string[], chance: string): string {
  const test = `for n in "$@"; do eval "v=\\\${$n-}"; [ "$v" = ${chance} ] && echo "$n"; done; true`;
  return `exec /bin/sh -c ${quoted(test)} sh ${names.join(" ")}`;
}

/** What the official provider says of a variable that the server does not take. */
export function notAccepted(name: string): { readonly log: string; readonly error: string } {
  return {
    log:
      `Unable to set '${name}'. This only works if your SSH server is configured to accept\n` +
      "\tthese variables via AcceptEnv. Alternatively, if a Bash-like shell runs the command on the remote host, you could\n" +
      "\tprefix the command itself with the variables in the form 'VAR=value command'",
    error: `could not set environment variable ${quotedAsInGo(name)}: ssh: setenv failed`,
  };
}

/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
