// The command `npm run hub`: registers clusters on a hub, and takes them out again.
import { runCommand } from "../lib/command";
import { ExitCode, Failure } from "../lib/failure";
import { explain, EXPLAIN_HELP } from "./explain";
import { register, REGISTER_HELP } from "./register";
import { unregister, UNREGISTER_HELP } from "./unregister";
import { memberRole, MEMBER_ROLE_HELP } from "./member-role";

/** A command of `npm run hub`. */
interface Command {
  help: string;
  run(argv: string[], signal: AbortSignal): Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  register: { help: REGISTER_HELP, run: register },
  unregister: { help: UNREGISTER_HELP, run: unregister },
  explain: { help: EXPLAIN_HELP, run: explain },
  "member-role": { help: MEMBER_ROLE_HELP, run: memberRole },
};

const HELP = `Joins clusters to a hub and takes them out.

Usage: npm run -s hub -- COMMAND …   (COMMAND --help describes it)

  register NAME       makes a cluster known to the hub, and gives its syncer what it needs
  unregister NAME     takes everything of it away again
  explain NAME        tells why a field or a cluster fell out of a kind that is negotiated
  member-role         prints the rights that a syncer needs in its cluster`;

async function main([name, ...rest]: string[], signal: AbortSignal): Promise<void> {
  if (name === undefined || name === "--help" || name === "-h") {
    process.stdout.write(`${HELP}\n`);
    if (name === undefined) process.exitCode = ExitCode.usage;
    return;
  }
  const command = COMMANDS[name];
  if (command === undefined)
    throw new Failure(
      `There is no command ${JSON.stringify(name)}: use one of ${Object.keys(COMMANDS).join(", ")}.`,
      ExitCode.usage,
    );
  if (rest.includes("--help") || rest.includes("-h")) process.stdout.write(`${command.help}\n`);
  else await command.run(rest, signal);
}

runCommand(main);
