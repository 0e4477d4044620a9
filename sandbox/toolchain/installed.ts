import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import semver from "semver";
import type { Tool } from "./tools";

/** A program that is installed on the machine. */
export interface Installed {
  path: string;
  version: string;
}

/** The wrapper scripts of a sandbox run tools inside its network: taken for the tools, they would call themselves. */
const SANDBOX_BIN = /\/\.sandbox\/[^/]+\/bin\/?$/;

/** Finds the first file of that name on PATH that can be run and does not lie in (or lead into) our own folders. */
export async function onPath(
  name: string,
  env: NodeJS.ProcessEnv,
  ours: readonly string[],
): Promise<string | undefined> {
  for (const folder of (env.PATH ?? "").split(path.delimiter)) {
    // An empty or relative entry means the current folder, from which no program is taken.
    if (!path.isAbsolute(folder) || SANDBOX_BIN.test(folder)) continue;
    const candidate = path.join(folder, name);
    try {
      await access(candidate, constants.X_OK);
      const real = await realpath(candidate);
      if (!ours.some((folder) => real.startsWith(folder + path.sep))) return candidate;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Runs a program and reads its version from its output; undefined if there is none. */
export async function askVersion(
  program: string,
  args: readonly string[],
  pattern: RegExp,
): Promise<string | undefined> {
  const output = await new Promise<string>((resolve) => {
    execFile(
      program,
      args,
      { timeout: 5_000, killSignal: "SIGKILL", env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } },
      (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`),
    );
  });
  return pattern.exec(output)?.[1];
}

/** Whether an installed version is good enough. Builds of vendors (`1.35.4-gke.1`) count as the release they are made from. */
export function suits(version: string, range: string): boolean {
  const parsed = semver.coerce(version);
  return parsed !== null && semver.satisfies(parsed, range);
}

/**
 * Looks for an installation of a tool that is good enough.
 * @param others the tools that were found before; one that is recognised by its neighbour needs them.
 */
export async function findInstalled(
  name: string,
  tool: Tool,
  others: ReadonlyMap<string, Installed>,
  env: NodeJS.ProcessEnv,
  ours: readonly string[],
): Promise<Installed | undefined> {
  switch (tool.recognise.by) {
    case "version": {
      const program = await onPath(name, env, ours);
      if (program === undefined) return undefined;
      const version = await askVersion(program, tool.recognise.args, tool.recognise.pattern);
      return version !== undefined && suits(version, tool.suits) ? { path: program, version } : undefined;
    }
    case "beside": {
      const neighbour = others.get(tool.recognise.tool);
      if (neighbour === undefined) return undefined;
      const program = path.join(path.dirname(await realpath(neighbour.path)), name);
      return (await runnable(program)) ? { path: program, version: neighbour.version } : undefined;
    }
    case "plugin": {
      const home = env.PULUMI_HOME ?? path.join(os.homedir(), ".pulumi");
      const { kind, plugin } = tool.recognise;
      const program = path.join(home, "plugins", `${kind}-${plugin}-v${tool.version}`, name);
      if (!(await runnable(program))) return undefined;
      const real = await realpath(program);
      return ours.some((folder) => real.startsWith(folder + path.sep))
        ? undefined
        : { path: program, version: tool.version };
    }
    case "nothing":
      return undefined;
  }
}

async function runnable(program: string): Promise<boolean> {
  return access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
}
