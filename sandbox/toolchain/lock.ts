import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorCode, ExitCode, Failure } from "../failure";

/**
 * Holds an exclusive lock on `file` while `work` runs.
 *
 * The lock is the kernel's, held by a `flock` child that lives as long as the pipe to it: when this process dies, however
 * it dies, the pipe closes, the child ends and the lock is free. So there is no stale lock to guess about.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (holder: string) => void = () => {},
): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  const child = spawn("flock", ["--exclusive", file, "sh", "-c", "echo held; exec cat >/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
    // A Ctrl-C at the terminal is for us to handle; the lock is given back when we are done or gone.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const waiting = setTimeout(() => {
    readFile(file, "utf8").then(
      (holder) => onWait(holder.trim()),
      () => onWait(""),
    );
  }, 500);
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.once("data", () => resolve());
      child.once("error", (error) => reject(cannotLock(file, error)));
      child.once("exit", (code) =>
        reject(new Failure(`Cannot lock ${file}: flock ended with exit code ${code ?? "none"}.`)),
      );
    });
  } finally {
    clearTimeout(waiting);
  }
  try {
    await writeFile(file, `${process.pid}\n`);
    return await work();
  } finally {
    child.stdin.end();
    await ended;
  }
}

function cannotLock(file: string, error: Error): Failure {
  return errorCode(error) === "ENOENT"
    ? new Failure(
        `Cannot lock ${file}: the command flock is not on PATH. Install util-linux (\`apt-get install util-linux\`).`,
        ExitCode.prerequisite,
      )
    : new Failure(`Cannot lock ${file}: ${error.message}`, ExitCode.failed, { cause: error });
}
