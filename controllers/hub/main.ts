// The program of the hub's controllers.
import { runProgram } from "../app/run";
import { CONTROLLERS } from "./controllers";
import { HubControllers } from "./hub";
import { helpText, readSettings } from "./settings";

void runProgram(process.argv.slice(2), {
  name: "hub",
  help: () => helpText(CONTROLLERS),
  settings: (argv, env) =>
    readSettings(
      argv,
      env,
      CONTROLLERS.map(({ name }) => name),
    ),
  instance: ({ identity }) => identity,
  start(settings, log) {
    log.info("The hub starts.", { controllers: settings.controllers });
    return new HubControllers(settings, CONTROLLERS, { log });
  },
});
