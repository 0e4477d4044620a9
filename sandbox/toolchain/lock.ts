import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorCode, ExitCode, Failure } from "../../lib/failure";

/**
 * Holds an exclusive lock on `file` while `work` runs.
 *
 * The lock is the kernel's, held by a `flock` child that lives as long as the pipe to it: when this process dies, however
 * it dies, the pipe closes, the child ends and the lock is free. So there is no stale lock to guess about. A `signal` ends
 * the wait for the lock; what is done under it is for `work` to end.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (holder: string) => void = () => {},
  signal?: AbortSignal,
): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  const child = spawn("flock", ["--exclusive", file, "sh", "-c", "echo held; exec cat >/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
    // Ctrl-C at the terminal is ours to handle; the lock is released when we are done or gone.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const waiting = setTimeout(() => {
    readFile(file, "utf8").then(
      (holder) => onWait(holder.trim()),
      () => onWait(""),
    );
  }, 500);
  const giveUp = (): void => void child.kill();
  try {
    await new Promise<void>((resolve, reject) => {
      signal?.addEventListener("abort", giveUp, { once: true });
      if (signal?.aborted === true) giveUp();
      child.stdout.once("data", () => resolve());
      child.once("error", (error) => reject(cannotLock(file, error)));
      child.once("exit", (code) =>
        reject(
          signal?.aborted === true
            ? new Failure("Interrupted.", ExitCode.interrupted)
            : new Failure(`Cannot lock ${file}: flock ended with exit code ${code ?? "none"}.`),
        ),
      );
    });
  } catch (error) {
    // The lock may have been granted in the meantime.
    child.stdin.destroy();
    throw error;
  } finally {
    clearTimeout(waiting);
    signal?.removeEventListener("abort", giveUp);
  }
  try {
    await writeFile(file, `${process.pid}\n`).catch((error: unknown) => {
      throw unwritable(file, error);
    });
    return await work();
  } finally {
    child.stdin.end();
    await ended;
  }
}

/** As {@link withLock}, for several files; always in one order, so that two runs never wait for each other. */
export async function withLocks<T>(
  files: readonly string[],
  work: () => Promise<T>,
  onWait?: (holder: string) => void,
  signal?: AbortSignal,
): Promise<T> {
  const [first, ...others] = [...new Set(files)].sort();
  if (first === undefined) return work();
  return withLock(first, () => withLocks(others, work, onWait, signal), onWait, signal);
}

function cannotLock(file: string, error: Error): Failure {
  return errorCode(error) === "ENOENT"
    ? new Failure(
        `Cannot lock ${file}: the command flock is not on PATH. Install util-linux (\`apt-get install util-linux\`).`,
        ExitCode.prerequisite,
      )
    : new Failure(`Cannot lock ${file}: ${error.message}`, ExitCode.failed, { cause: error });
}

/** Why a file of the cache cannot be written, in words that say what to do. */
export function unwritable(file: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code !== "EACCES" && code !== "EROFS") return error;
  const why = code === "EROFS" ? "the file system is read-only" : "it belongs to another user";
  return new Failure(
    `Cannot write ${file}: ${why}. Run this as the user who made the cache, or name another cache by XDG_CACHE_HOME.`,
    ExitCode.prerequisite,
    { cause: error },
  );
}
