import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { errorCode, errorMessage } from "../../../lib/failure";
import type { Context } from "../shell/context";
import type { Variables } from "./environment";
import { kernelWords, quotedAsInGo } from "./go-words";
import { failure, Output } from "./output";

/** A command for this machine. */
export interface LocalRun {
  readonly script: string;
  readonly interpreter: readonly string[] | undefined;
  readonly dir: string | undefined;
  readonly stdin: string | undefined;
  readonly environment: Variables;
  readonly logging: string | undefined;
}

const SHELL = ["/bin/sh", "-c"];
const GRACE_MS = 2000;

/** Go's names of the signals that end commands most. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGTERM: "terminated",
};

/** Runs a command on this machine to its end; fails unless it ends with 0. */
export async function runLocally(
  context: Context,
  run: LocalRun,
): Promise<{ stdout: string; stderr: string }> {
  context.signal.throwIfAborted();
  if (run.dir !== undefined) await requireThere(run.dir, run.script);
  const [program = "/bin/sh", ...args] = run.interpreter?.length ? run.interpreter : SHELL;
  const output = new Output(run.logging, context.log.status);
  const how = await new Promise<string | undefined>((resolve) => {
    const child = started(program, [...args, run.script], run);
    if (typeof child === "string") {
      resolve(child);
      return;
    }
    const release = endWith(context.signal, child.pid);
    child.stdout.on("data", (bytes: Buffer) => output.add("stdout", bytes));
    child.stderr.on("data", (bytes: Buffer) => output.add("stderr", bytes));
    // A command may end without reading its input.
    child.stdin.on("error", () => {});
    child.stdin.end(run.stdin ?? "");
    child.on("error", (error) => {
      release();
      resolve(startWords(program, error));
    });
    child.on("close", (code, signal) => {
      release();
      // As Go's os/exec says it.
      resolve(
        code === 0
          ? undefined
          : code === null
            ? `signal: ${SIGNALS[signal ?? ""] ?? String(signal)}`
            : `exit status ${code}`,
      );
    });
  });
  output.end();
  context.signal.throwIfAborted();
  if (how !== undefined) throw new Error(failure(how, run.script, output));
  return { stdout: output.text("stdout"), stderr: output.text("stderr") };
}

/** Starts a program, or says why that cannot be. */
function started(
  program: string,
  args: readonly string[],
  run: LocalRun,
): ChildProcessWithoutNullStreams | string {
  try {
    return spawn(program, args, {
      cwd: run.dir,
      env: { ...process.env, ...run.environment },
      // A process group of its own, so that everything that the command starts can be ended with it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Such as E2BIG: an output of the last time that no variable can hold.
    return startWords(program, error);
  }
}

function startWords(program: string, error: unknown): string {
  const code = errorCode(error);
  return code === "ENOENT" && !program.includes("/")
    ? `exec: ${quotedAsInGo(program)}: executable file not found in $PATH`
    : `fork/exec ${program}: ${kernelWords(code, errorMessage(error))}`;
}

async function requireThere(dir: string, script: string): Promise<void> {
  try {
    await stat(dir);
  } catch (error) {
    throw new Error(
      `chdir ${dir}: ${kernelWords(errorCode(error), errorMessage(error))}: running ${quotedAsInGo(script)}:\n`,
      { cause: error },
    );
  }
}

/** Ends a process group when the signal comes: politely, then not. */
function endWith(signal: AbortSignal, pid: number | undefined): () => void {
  if (pid === undefined) return () => {};
  let later: NodeJS.Timeout | undefined;
  const kill = (name: NodeJS.Signals): void => {
    try {
      process.kill(-pid, name);
    } catch {
      // It has ended by itself.
    }
  };
  const end = (): void => {
    kill("SIGTERM");
    later = setTimeout(() => kill("SIGKILL"), GRACE_MS);
  };
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  return () => {
    clearTimeout(later);
    signal.removeEventListener("abort", end);
  };
}
