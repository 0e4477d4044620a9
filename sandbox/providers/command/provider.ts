import type { Provider } from "../shell/provider";
import { copyFile } from "./copy-file";
import { copyToRemote } from "./copy-to-remote";
import { localCommand } from "./local-command";
import { remoteCommand } from "./remote-command";
import { run } from "./run";

/** The sandbox's `@pulumi/command` provider. */
export function commandProvider(version: string): Provider {
  return {
    name: "command",
    version,
    settings: {},
    resources: {
      "command:local:Command": localCommand,
      "command:remote:Command": remoteCommand,
      "command:remote:CopyFile": copyFile,
      "command:remote:CopyToRemote": copyToRemote,
    },
    functions: { "command:local:run": run },
  };
}
