// The program that keeps one member in step: in the member, beside the hub, or wherever a person starts it.
import { runProgram } from "../app/run";
import { SyncerProgram } from "./program";
import { helpText, readSettings } from "./settings";

void runProgram(process.argv.slice(2), {
  name: "syncer",
  help: helpText,
  settings: readSettings,
  instance: ({ identity }) => identity,
  start(settings, log) {
    log.info("The syncer starts.", { cluster: settings.cluster });
    return new SyncerProgram(settings, log);
  },
});
