import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { errorCode, ExitCode, Failure } from "../../lib/failure";
import { isObject } from "../../lib/json";
import type { BuildJob } from "./build-jobs";
import type { BuildLimits } from "./build-limits";
import { moduleFolder, sourceFiles } from "./cache";
import type { Tool } from "./tools";

const FETCH_QUIET_MS = 3_000;
/** `go build -v` names each package that it compiles on a line of its own. */
const PACKAGE_LINE = /^[\w.~-]+(?:\/[\w.~-]+)*$/;

/** What a build runs with. */
export interface BuildContext {
  /** Where everything that Go prints is written. */
  log: string;
  limits: BuildLimits;
  signal?: AbortSignal;
  onProgress?: (detail: string) => void;
  env?: NodeJS.ProcessEnv;
  goFolder?: string;
}

/**
 * The arguments for `go build`. No version control stamp and no paths of this machine, so that the same sources give
 * the same program everywhere; no symbols and no debug information, not even in what Go's build cache keeps of packages.
 * The flags are the same for every tool, apart from the linker's: otherwise tools would not share compiled packages.
 */
export function buildArguments(tools: readonly Tool[], output: string, compilers: number): string[] {
  const variables = Object.entries(tools[0]?.build.variables ?? {}).map(
    ([name, value]) => `-X ${name}=${value}`,
  );
  return [
    "build",
    "-v",
    "-p",
    String(compilers),
    "-mod=readonly",
    "-trimpath",
    "-buildvcs=false",
    "-gcflags=all=-dwarf=false",
    "-ldflags",
    ["-s -w", ...variables].join(" "),
    "-o",
    output,
    ...tools.map(({ build }) => build.package),
  ];
}

/** The environment of Go: no setting of the user changes what is built. */
export function buildEnvironment(
  env: NodeJS.ProcessEnv,
  collector: BuildLimits["collector"] = {},
): NodeJS.ProcessEnv {
  return { ...env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off", GO111MODULE: "on", ...collector };
}

/** Builds the tools of a job in `folder`, which belongs to this build, and returns the path of each program by name. */
export async function buildTools(
  job: BuildJob,
  folder: string,
  context: BuildContext,
): Promise<Map<string, string>> {
  const [{ name, tool }] = job.tools;
  const source = moduleFolder(tool, context.goFolder);
  const work = path.join(folder, "source");
  await mkdir(work, { recursive: true });
  for (const file of await sourceFiles(source, tool))
    await copyFile(path.join(source, file), path.join(work, file));
  const go = goRunner(name, work, context);
  for (const { module, file, as, set } of tool.build.embed ?? []) {
    context.onProgress?.("preparing embedded files");
    await go(["mod", "download", module]);
    const folder = (await go(["list", "-m", "-f", "{{.Dir}}", module])).trim();
    const content: unknown = JSON.parse(await readFile(path.join(folder, file), "utf8"));
    await writeFile(path.join(work, as), JSON.stringify({ ...(isObject(content) ? content : {}), ...set }));
  }
  const programs = path.join(folder, "programs");
  await mkdir(programs, { recursive: true });
  const tools = job.tools.map((each) => each.tool);
  // Go names a program after its package; one alone can be given a name.
  const single = job.tools.length === 1 ? path.join(programs, name) : undefined;
  await go(buildArguments(tools, single ?? `${programs}${path.sep}`, context.limits.compilers));
  return new Map(
    job.tools.map((each) => [each.name, single ?? path.join(programs, programName(each.tool.build.package))]),
  );
}

/** Fetches every Go module that the tools of a job need, so that their build has no reason to wait for the network. */
export async function fetchModules(job: BuildJob, context: BuildContext): Promise<void> {
  const [{ name, tool }] = job.tools;
  const source = moduleFolder(tool, context.goFolder);
  const packages = job.tools.map((each) => each.tool.build.package);
  await goRunner(name, source, context)(["list", "-e", "-mod=readonly", "-deps", "-f", "", ...packages]);
}

/** What `go build` calls the program of a package: the last part of its path that is no major version. */
export function programName(goPackage: string): string {
  return goPackage.split("/").findLast((part) => !/^v\d+$/.test(part)) ?? goPackage;
}

type Go = (args: readonly string[]) => Promise<string>;

function goRunner(
  name: string,
  cwd: string,
  { log, limits, signal, onProgress, env = process.env }: BuildContext,
): Go {
  const stopIfAborted = (): void => {
    if (signal?.aborted === true) throw new Failure("Interrupted.", ExitCode.interrupted);
  };
  return async (args) => {
    stopIfAborted();
    await mkdir(path.dirname(log), { recursive: true });
    const logStream = createWriteStream(log, { flags: "a" });
    const child = spawn("go", args, {
      cwd,
      env: buildEnvironment(env, limits.collector),
      stdio: ["ignore", "pipe", "pipe"],
      // Go starts compilers; as a group of their own they can all be ended at once.
      detached: true,
    });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch (error) {
        // It has ended by itself in the meantime.
        if (errorCode(error) !== "ESRCH") throw error;
      }
    };
    signal?.addEventListener("abort", end, { once: true });
    let output = "";
    let complaints = "";
    let compiled = 0;
    let compiling: NodeJS.Timeout | undefined;
    const showCompiling = (): void =>
      onProgress?.(`compiling${compiled > 0 ? `, ${compiled} packages` : ""}`);
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    createInterface({ input: child.stderr }).on("line", (line) => {
      logStream.write(`${line}\n`);
      if (line.startsWith("go: downloading ")) {
        onProgress?.(`fetching ${line.split(" ")[2] ?? ""}`);
        // The module that was fetched last must not look like what Go hangs on.
        clearTimeout(compiling);
        compiling = setTimeout(showCompiling, FETCH_QUIET_MS);
      } else if (PACKAGE_LINE.test(line)) {
        compiled += 1;
        clearTimeout(compiling);
        showCompiling();
      } else {
        complaints += `${line}\n`;
      }
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }).finally(() => {
      clearTimeout(compiling);
      signal?.removeEventListener("abort", end);
      logStream.end();
    });
    stopIfAborted();
    if (code !== 0) throw explainBuild(name, args, complaints, log);
    return output;
  };
}

/** Says why a build failed, as far as Go's output shows it. */
export function explainBuild(
  name: string,
  args: readonly string[],
  complaints: string,
  log: string,
): Failure {
  const lines = complaints.split("\n").filter((line) => line !== "" && !line.startsWith("go: downloading "));
  const shown = lines.slice(-8).join("\n  ");
  const because = (sentence: string, code: number): Failure =>
    new Failure(`Cannot build ${name}: ${sentence}\n  ${shown}\nFull output: ${log}`, code);
  const said = lines.join("\n");
  if (/no space left on device/i.test(said)) {
    return because(
      "the disk is full. Free some gigabytes (`go clean -cache` frees Go's build cache) and run the command again: it resumes where it stopped.",
      ExitCode.diskFull,
    );
  }
  if (/SECURITY ERROR|checksum mismatch|missing go\.sum entry/i.test(said)) {
    return because(
      "a module differs from the checksum in go.sum and was discarded. If go.mod was changed on purpose, run `go mod tidy` in its folder.",
      ExitCode.integrity,
    );
  }
  if (
    /unknown revision|invalid version|not a known dependency|no matching versions|404 Not Found|410 Gone|403 Forbidden/i.test(
      said,
    )
  ) {
    return because(
      "the module proxy does not have that version. Correct go.mod and the version in sandbox/toolchain/tools.ts.",
      ExitCode.failed,
    );
  }
  if (
    /dial tcp|no such host|connection refused|i\/o timeout|module lookup disabled|TLS handshake/i.test(said)
  ) {
    return because(
      "the Go module proxy cannot be reached. Check the network and `go env GOPROXY`, and run the command again: what was fetched is kept.",
      ExitCode.network,
    );
  }
  return because(`\`go ${args[0] ?? ""}\` failed.`, ExitCode.failed);
}
