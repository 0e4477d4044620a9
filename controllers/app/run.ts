// Starts a program from its command line and stops it on SIGTERM.
import { Logger, type Level } from "../runtime";
import { UsageError } from "./flags";

/** A program of a cluster, as far as starting and ending it goes. */
export interface Program<Settings extends { logLevel: Level }> {
  name: string;
  help(): string;
  /** Throws a {@link UsageError} if the command line is wrong. */
  settings(argv: readonly string[], env: NodeJS.ProcessEnv): Settings;
  /** Which of its processes this is, for every line that it logs: its pod or its node. */
  instance(settings: Settings): string;
  start(settings: Settings, log: Logger): { run(signal: AbortSignal): Promise<void> };
}

/** Runs a program until it is asked to end. */
export async function runProgram<Settings extends { logLevel: Level }>(
  argv: readonly string[],
  program: Program<Settings>,
): Promise<void> {
  if (argv.includes("--help")) {
    process.stdout.write(program.help());
    return;
  }
  let settings: Settings;
  try {
    settings = program.settings(argv, process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const log = new Logger(
    { level: settings.logLevel },
    { program: program.name, instance: program.instance(settings) },
  );
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stop.abort());
  // A rejection that nobody handles must not end the process half-way; it is logged as a bug.
  process.on("unhandledRejection", (cause) => {
    log.error("Unhandled rejection. This is a bug.", { error: cause });
  });
  // A crash is one line like all others, which whoever collects logs can find; Kubernetes starts the container again.
  process.on("uncaughtException", (cause) => {
    log.error("The program crashed. This is a bug.", { error: cause, stack: cause.stack });
    process.exit(1);
  });
  await program.start(settings, log).run(stop.signal);
  log.info(`The ${program.name} has stopped.`);
}
