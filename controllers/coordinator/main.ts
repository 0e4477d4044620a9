// The program that runs in the coordinator's pod.
import { killProcess } from "../program/failpoint";
import { runProgram } from "../program/run";
import { Coordinator } from "./coordinator";
import { PARTS } from "./parts";
import { helpText, readSettings } from "./settings";

void runProgram(process.argv.slice(2), {
  name: "coordinator",
  help: () => helpText(PARTS),
  settings: (argv, env) =>
    readSettings(
      argv,
      env,
      PARTS.map(({ name }) => name),
    ),
  start(settings, log) {
    const { failpoint, controllers, namespace } = settings;
    log.info("The coordinator starts.", { controllers, namespace });
    return new Coordinator(settings, PARTS, {
      log,
      ...(failpoint === undefined ? {} : { failpoint: { write: failpoint, die: killProcess } }),
    });
  },
});
