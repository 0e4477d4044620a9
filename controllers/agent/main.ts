// The program that runs in the agent's pod.
import { killProcess } from "../program/failpoint";
import { runProgram } from "../program/run";
import { Agent } from "./agent";
import { PARTS } from "./parts";
import { helpText, readSettings } from "./settings";

void runProgram(process.argv.slice(2), {
  name: "agent",
  help: () => helpText(PARTS),
  settings: (argv, env) =>
    readSettings(
      argv,
      env,
      PARTS.map(({ name }) => name),
    ),
  start(settings, log) {
    const { failpoint, controllers, nodeName } = settings;
    log.info("The agent starts.", { controllers, node: nodeName });
    return new Agent(settings, PARTS, {
      log,
      ...(failpoint === undefined ? {} : { failpoint: { write: failpoint, die: killProcess } }),
    });
  },
});
