import { ExitCode, Failure } from "../../lib/failure";
import type { Progress } from "../../lib/progress";
import type { RunningCloud } from "../cloud";
import type { Sandbox } from "../sandbox";

/** What every command of the sandbox works with. */
export interface CommandContext {
  sandbox: Sandbox;
  /** What has to be added to commands that a person types for this sandbox: ` --name blue`, or nothing. */
  nameFlag: string;
  progress: Progress;
  signal: AbortSignal;
}

/** The cloud of a sandbox, for commands that are of no use without it. */
export async function requireCloud({ sandbox, nameFlag }: CommandContext): Promise<RunningCloud> {
  const cloud = await sandbox.cloud();
  if (cloud !== undefined) return cloud;
  throw new Failure(
    `The cloud of sandbox ${sandbox.layout.name} is not running. Start it: npm run sandbox -- up${nameFlag}`,
  );
}

/** Stops where the sandbox cannot run at all. */
export function requireLinux(): void {
  if (process.platform === "linux") return;
  throw new Failure(
    `The sandbox needs Linux; this is ${process.platform}. Run it on a Linux machine, real or virtual. What works here: the program on a cluster that you have, \`npm run lint\` and \`npm run typecheck\`.`,
    ExitCode.prerequisite,
  );
}

/** The value of a flag that is a whole number. */
export function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) {
    throw new Failure(`${flag} must be a whole number, found "${text}".`, ExitCode.usage);
  }
  return Number(text);
}
