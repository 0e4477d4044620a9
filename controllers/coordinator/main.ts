// The program that runs in the coordinator's pod.
import { UsageError } from "../program/flags";
import { killProcess } from "../program/failpoint";
import { Logger, type Level } from "../runtime";
import { Coordinator } from "./coordinator";
import { PARTS } from "./parts";
import { helpText, readSettings, type Settings } from "./settings";

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes("--help")) {
    process.stdout.write(helpText(PARTS));
    return;
  }
  let settings: Settings;
  try {
    settings = readSettings(
      argv,
      process.env,
      PARTS.map(({ name }) => name),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
    return;
  }
  const log = logger(settings.logLevel);
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stop.abort());
  // What nobody waited for must not end the process half-way; it is told and counted as a bug.
  process.on("unhandledRejection", (cause) => {
    log.error("Something failed that nobody waited for. This is a bug.", { error: cause });
  });
  const { failpoint } = settings;
  const coordinator = new Coordinator(settings, PARTS, {
    log,
    ...(failpoint === undefined ? {} : { failpoint: { write: failpoint, die: killProcess } }),
  });
  log.info("The coordinator starts.", { controllers: settings.controllers, namespace: settings.namespace });
  await coordinator.run(stop.signal);
  log.info("The coordinator has ended.");
}

function logger(level: Level): Logger {
  return new Logger({ level });
}

void main(process.argv.slice(2));
