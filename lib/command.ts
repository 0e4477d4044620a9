import { errorCode, ExitCode, Failure } from "./failure";

/**
 * Runs a command line program: its failures become one message and an exit code, and the first Ctrl-C (or SIGTERM)
 * aborts its signal so that it can clean up; a second one ends it at once.
 */
export function runCommand(main: (argv: string[], signal: AbortSignal) => Promise<void>): void {
  const controller = new AbortController();
  // Whoever reads our output may stop early, as `head` does.
  process.stdout.on("error", (error) => process.exit(errorCode(error) === "EPIPE" ? 0 : ExitCode.failed));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(ExitCode.interrupted);
      process.stderr.write("\nStopping… (again to stop at once)\n");
      controller.abort();
    });
  }
  main(process.argv.slice(2), controller.signal).then(
    () => {
      process.exitCode = controller.signal.aborted ? ExitCode.interrupted : (process.exitCode ?? 0);
    },
    (error: unknown) => {
      process.exitCode = report(error, controller.signal.aborted);
    },
  );
}

function report(error: unknown, aborted: boolean): number {
  if (error instanceof Failure) {
    process.stderr.write(`\nerror: ${error.message}\n`);
    return error.exitCode;
  }
  if (isUsage(error)) {
    process.stderr.write(`error: ${error.message} (--help describes the command)\n`);
    return ExitCode.usage;
  }
  if (aborted) return ExitCode.interrupted;
  process.stderr.write(
    `\nerror: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return ExitCode.failed;
}

/** The errors of node:util's parseArgs. */
function isUsage(error: unknown): error is Error {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("ERR_PARSE_ARGS")
  );
}
