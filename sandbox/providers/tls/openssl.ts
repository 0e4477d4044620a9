import { execFile } from "node:child_process";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Runs `openssl` or `ssh-keygen` for a test, with a text on its standard input, and gives what it says. */
export async function tool(program: string, args: readonly string[], input = ""): Promise<string> {
  const running = exec(program, [...args]);
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return `${stdout}${stderr}`;
}
