// The program that runs in the agent's pod.
import { killProcess } from "../app/failpoint";
import { runProgram } from "../app/run";
import { Agent } from "./agent";
import { CONTROLLERS } from "./controllers";
import { helpText, readSettings } from "./settings";

void runProgram(process.argv.slice(2), {
  name: "agent",
  help: () => helpText(CONTROLLERS),
  settings: (argv, env) =>
    readSettings(
      argv,
      env,
      CONTROLLERS.map(({ name }) => name),
    ),
  instance: ({ nodeName }) => nodeName,
  start(settings, log) {
    const { failpoint, controllers, nodeName } = settings;
    log.info("The agent starts.", { controllers, node: nodeName });
    return new Agent(settings, CONTROLLERS, {
      log,
      ...(failpoint === undefined ? {} : { failpoint: { write: failpoint, die: killProcess } }),
    });
  },
});
