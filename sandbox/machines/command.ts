import { execFile } from "node:child_process";
import os from "node:os";
import { Failure } from "../../lib/failure";

/** How a command is run. */
export interface CommandOptions {
  /** Written to its standard input. Secrets go here, since everybody can read arguments. */
  stdin?: string | Buffer;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What a command gave back. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

const SBIN = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The environment of the tools of the system, some of which lie in sbin folders. */
export function systemEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [process.env.PATH ?? "/usr/bin:/bin", ...SBIN].join(":"),
    LC_ALL: "C.UTF-8",
  };
}

/** Runs a command and gives its result, whatever its exit code; one that cannot be started is an error. */
export function attempt(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [command = "", ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      args,
      {
        env: options.env ?? systemEnvironment(),
        maxBuffer: 64 << 20,
        ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, stdout, stderr });
        else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr });
        // As a shell tells it: a command in a machine that is switched off is killed.
        else if (error.signal != null && error.killed !== true)
          resolve({ code: 128 + os.constants.signals[error.signal], stdout, stderr });
        else if (error.killed === true && options.timeoutMs !== undefined) {
          reject(new Failure(`${command} did not end in ${options.timeoutMs / 1000} s and was killed.`));
        } else reject(new Failure(`${command} could not be run: ${error.message.split("\n")[0] ?? ""}`));
      },
    );
    // A command that ends without reading its input closes the pipe, which says nothing about its success.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.stdin);
  });
}

/** Runs a command that has to succeed and gives what it printed. */
export async function run(argv: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await attempt(argv, options);
  if (code === 0) return stdout;
  const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-6).join("\n  ");
  throw new Failure(`\`${argv.join(" ")}\` ended with exit code ${code}:\n  ${said}`);
}
