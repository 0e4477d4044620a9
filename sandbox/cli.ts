// `npm run sandbox` and `npm start`: the list of commands; each is a file in commands/.
import { parseArgs } from "node:util";
import { runCommand } from "../lib/command";
import { ExitCode, Failure } from "../lib/failure";
import { streamProgress } from "../lib/progress";
import { type CommandContext, requireCloud, wholeNumber } from "./commands/context";
import { env } from "./commands/env";
import { hub } from "./commands/hub";
import { printLogs } from "./commands/logs";
import { powerMachine } from "./commands/machine";
import { openShell } from "./commands/shell";
import { start, up } from "./commands/start";
import { status } from "./commands/status";
import { down, reset } from "./commands/stop";
import { Sandbox, sandboxNames } from "./sandbox";

const HELP = `A cloud on this machine, and the project's stacks in it.

Usage: npm start [-- options]                    the same as: npm run sandbox -- start
       npm run sandbox -- <command> [options]

  start               brings up the sandbox and runs \`pulumi up\` of a stack in it, with every policy
  up                  brings up the sandbox alone: an AWS API with machines behind it and, with --nodes or where no
                      machine can run, a control plane with simulated nodes
  status [--json]     what is running, with process ids, memory and addresses; --all for every sandbox
  env                 prints exports: after eval "$(npm run -s sandbox -- env)" plain pulumi and kubectl use the
                      sandbox, and in-sandbox COMMAND runs anything (ssh, curl) inside its network
  shell MACHINE       opens a root shell in a machine, by instance id, name or address; -- COMMAND runs that instead
  crash MACHINE       cuts a machine's power; reboot MACHINE boots it again
  hub                 starts a hub, one API for several clusters: its API server, its kinds and its controllers; with
                      --bare the API server alone, which stores Deployments and the like and has no pods.
                      \`hub status\` and \`hub down\` (with --json too), \`hub snapshot FILE\` while it runs,
                      \`hub restore FILE\` while it does not
  logs [COMPONENT]    prints the end of the logs; --lines N (20), --follow
  down                stops everything and keeps the data
  reset               stops everything and deletes it: cluster, keys and Pulumi state

  --name NAME         which sandbox (default); several can run at the same time
  --stack STACK       start: which stack (dev, a whole cluster on machines; existing where no machine can run; fleet, a hub
                      with two members on simulated nodes)
  --nodes N           start, up: at least N simulated nodes in the sandbox's own control plane (3)
  --no-install        start, up: do not install the system packages that machines need (as root on Debian or Ubuntu);
                      the same as FLEETWRIGHT_NO_INSTALL=1`;

const OPTIONS = {
  name: { type: "string", default: "default" },
  nodes: { type: "string" },
  stack: { type: "string" },
  "no-install": { type: "boolean", default: false },
  lines: { type: "string", default: "20" },
  follow: { type: "boolean", short: "f", default: false },
  all: { type: "boolean", default: false },
  bare: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const context: CommandContext = {
    sandbox: new Sandbox(values.name),
    nameFlag: values.name === OPTIONS.name.default ? "" : ` --name ${values.name}`,
    progress: streamProgress(process.stderr),
    signal,
  };
  const flags = {
    ...(values.nodes === undefined ? {} : { nodes: wholeNumber("--nodes", values.nodes) }),
    mayInstall: !values["no-install"] && !isSet(process.env.FLEETWRIGHT_NO_INSTALL),
  };
  switch (command) {
    case "start":
      return start({ ...flags, ...(values.stack === undefined ? {} : { stack: values.stack }) }, context);
    case "up":
      return up(flags, context);
    case "status":
      return status(values.all ? await sandboxNames() : [values.name], values.json);
    case "env":
      return env(context);
    case "shell":
      process.exitCode = await openShell(await requireCloud(context), rest);
      return;
    case "crash":
    case "reboot":
      return powerMachine(command, rest[0], context);
    case "hub":
      return hub({ action: rest[0] ?? "up", file: rest[1], bare: values.bare, json: values.json }, context);
    case "logs":
      return printLogs(context.sandbox, {
        component: rest[0],
        lines: wholeNumber("--lines", values.lines),
        follow: values.follow,
        signal,
      });
    case "down":
      return down(context);
    case "reset":
      return reset(context);
    default:
      throw new Failure(
        `Unknown command "${command}". The commands are start, up, status, env, shell, crash, reboot, hub, logs, down and reset; --help describes them.`,
        ExitCode.usage,
      );
  }
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== "" && variable !== "0";
}

if (require.main === module) runCommand(main);
