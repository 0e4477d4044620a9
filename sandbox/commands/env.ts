import { Failure } from "../../lib/failure";
import { shellExports } from "../environment";
import type { CommandContext } from "./context";

/** Prints exports for a shell, so that plain pulumi and kubectl use the sandbox. */
export async function env({ sandbox, nameFlag }: CommandContext): Promise<void> {
  const { name } = sandbox.layout;
  if (!(await sandbox.exists())) {
    throw new Failure(`Sandbox ${name} does not exist. Bring it up first: npm run sandbox -- up${nameFlag}`);
  }
  const access = await sandbox.cloudAccess();
  process.stdout.write(`${shellExports(sandbox.layout, access)}\n`);
  if (access === undefined) {
    process.stderr.write(
      `note: sandbox ${name} is not running; start it: npm run sandbox -- up${nameFlag}\n`,
    );
  }
}
