import { execFile } from "node:child_process";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** For tests: runs `openssl` or `ssh-keygen` with a text on its standard input, and gives what it prints. */
export async function tool(program: string, args: readonly string[], input = ""): Promise<string> {
  const running = exec(program, [...args]);
  // A program that needs no input may be gone before it is written; its exit code says whether it worked.
  running.child.stdin?.on("error", () => {}).end(input);
  const { stdout, stderr } = await running;
  return `${stdout}${stderr}`;
}
