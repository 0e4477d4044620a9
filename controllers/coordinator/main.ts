// The program that runs in the coordinator's pod.
import { killProcess } from "../app/failpoint";
import { runProgram } from "../app/run";
import { Coordinator } from "./coordinator";
import { CONTROLLERS } from "./controllers";
import { helpText, readSettings } from "./settings";

void runProgram(process.argv.slice(2), {
  name: "coordinator",
  help: () => helpText(CONTROLLERS),
  settings: (argv, env) =>
    readSettings(
      argv,
      env,
      CONTROLLERS.map(({ name }) => name),
    ),
  instance: ({ identity }) => identity,
  start(settings, log) {
    const { failpoint, controllers, namespace } = settings;
    log.info("The coordinator starts.", { controllers, namespace });
    return new Coordinator(settings, CONTROLLERS, {
      log,
      ...(failpoint === undefined ? {} : { failpoint: { write: failpoint, die: killProcess } }),
    });
  },
});
