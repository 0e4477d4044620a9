import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { readIfPresent } from "../../lib/files";
import { errorCode, ExitCode, Failure } from "../../lib/failure";
import { type Progress, silentProgress } from "../../lib/progress";
import { cacheRoot } from "./cache";
import { withLock } from "./lock";

/** A Python program and its dependencies. */
export interface PythonProgram {
  /** Its package, which `requirements` pins. */
  name: string;
  /** What it is for, in words that a message can have in it. */
  purpose: string;
  /** The file that lists every package with its version and digests. */
  requirements: string;
  /** The oldest Python 3 that its packages run on. @default 10 */
  oldestMinor?: number;
}

/** How the environment is made. */
export interface EnvironmentOptions {
  /** @default the cache of Fleetwright */
  root?: string;
  progress?: Progress;
  /** The Python to make it with. @default python3 */
  python?: string;
}

/**
 * Makes a program's Python environment in the cache unless it is there, and gives the path of its Python.
 * It has its own folder for each list of packages and each Python, so that an update never changes one that is in use.
 */
export async function ensurePythonEnvironment(
  { name, purpose, requirements, oldestMinor = 10 }: PythonProgram,
  options: EnvironmentOptions = {},
): Promise<string> {
  const root = options.root ?? cacheRoot();
  const python = options.python ?? "python3";
  const run = (program: string, args: readonly string[], what: string): Promise<string> =>
    output(program, args, (code, said) => explain(purpose, what, program, code, said));
  const version = await pythonVersion(python, oldestMinor, purpose, run);
  const key = environmentKey(name, await readFile(requirements, "utf8"), version);
  const folder = path.join(root, name, key);
  const program = path.join(folder, "bin", "python");
  const finished = path.join(folder, "complete");
  // Its Python is a link to the host's, which may have been removed since.
  const isReady = async (): Promise<boolean> =>
    (await readIfPresent(finished)) !== undefined && (await isExecutable(program));
  if (await isReady()) return program;
  const progress = options.progress ?? silentProgress;
  await progress.step(`installing ${name} (${purpose})`, async (update) =>
    withLock(
      path.join(root, "locks", `${name}.lock`),
      async () => {
        if (await isReady()) return;
        await rm(folder, { recursive: true, force: true });
        await mkdir(path.dirname(folder), { recursive: true });
        update("making the environment");
        await run(python, ["-m", "venv", folder], "python3 -m venv");
        update("fetching packages");
        await run(program, ["-m", "pip", ...installArguments(requirements)], "pip install");
        // Paths inside an environment are absolute, so it is made in place; this file marks it as complete.
        await writeFile(finished, `${version}\n`);
      },
      (holder) => update(`waiting for process ${holder}, which installs it`),
    ),
  );
  return program;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Names an environment by what is in it. */
export function environmentKey(name: string, requirements: string, pythonVersion: string): string {
  const hash = createHash("sha256").update(pythonVersion).update("\0").update(requirements);
  const pinned = requirements.split("\n").find((line) => line.startsWith(`${name}==`));
  const version = /==(\S+)/.exec(pinned ?? "")?.[1] ?? "unknown";
  return `${version}-${hash.digest("hex").slice(0, 12)}`;
}

// Every package is named with its digests, so nothing has to be resolved and nothing else can come in.
function installArguments(requirements: string): string[] {
  return ["install", "--quiet", "--no-input", "--no-deps", "--require-hashes", "--requirement", requirements];
}

type Run = (program: string, args: readonly string[], what: string) => Promise<string>;

async function pythonVersion(
  python: string,
  oldestMinor: number,
  purpose: string,
  run: Run,
): Promise<string> {
  const version = (
    await run(python, ["-c", "import platform; print(platform.python_version())"], python)
  ).trim();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 3 && minor >= oldestMinor) return version;
  throw new Failure(
    `For ${purpose}, Python 3.${oldestMinor} or newer is needed, but \`${python}\` is ${version}. Install a newer one (Debian: \`apt-get install python3 python3-venv\`).`,
    ExitCode.prerequisite,
  );
}

function output(
  program: string,
  args: readonly string[],
  explained: (code: string | undefined, said: string) => Failure,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(explained(errorCode(error), `${stdout}\n${stderr}`));
    });
  });
}

function explain(
  purpose: string,
  what: string,
  program: string,
  code: string | undefined,
  output: string,
): Failure {
  if (code === "ENOENT") {
    const fix = "Install Python 3 with venv (Debian: `apt-get install python3 python3-venv`).";
    return new Failure(
      `For ${purpose}, Python is needed: ${program} is not on PATH. ${fix}`,
      ExitCode.prerequisite,
    );
  }
  const tail = output.trim().split("\n").slice(-8).join("\n  ");
  if (output.includes("ensurepip is not available")) {
    return new Failure(`${what} failed: install python3-venv.\n  ${tail}`, ExitCode.prerequisite);
  }
  if (output.includes("THESE PACKAGES DO NOT MATCH THE HASHES")) {
    return new Failure(
      `${what} failed: a package differs from its pinned hash.\n  ${tail}`,
      ExitCode.integrity,
    );
  }
  return new Failure(`${what} failed:\n  ${tail}`, ExitCode.network);
}
