import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ExitCode, Failure } from "../failure";
import { GO_FOLDER, sourceFiles } from "./cache";
import type { Tool } from "./tools";

const FETCH_QUIET_MS = 3_000;

/** What a build gets from its surroundings. */
export interface BuildSurroundings {
  /** A folder that belongs to this build and is removed after it. */
  folder: string;
  /** Where everything that Go says is written. */
  log: string;
  signal?: AbortSignal;
  onProgress?: (detail: string) => void;
  env?: NodeJS.ProcessEnv;
  goFolder?: string;
}

/**
 * The arguments for `go build`. No version control stamp and no paths of this machine, so that the same sources give
 * the same program everywhere.
 */
export function buildArguments(tool: Tool, output: string): string[] {
  const variables = Object.entries(tool.build.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  return [
    "build",
    "-mod=readonly",
    "-trimpath",
    "-buildvcs=false",
    "-ldflags",
    ["-s -w", ...variables].join(" "),
    "-o",
    output,
    tool.build.package,
  ];
}

/** The surroundings of Go: nothing of the user's settings may change what is built. */
export function buildEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off", GO111MODULE: "on" };
}

/** Builds a tool from its Go module and returns the path of the program in `folder`. */
export async function buildTool(name: string, tool: Tool, surroundings: BuildSurroundings): Promise<string> {
  const source = path.join(surroundings.goFolder ?? GO_FOLDER, tool.build.folder);
  const work = path.join(surroundings.folder, "source");
  await mkdir(work, { recursive: true });
  for (const file of await sourceFiles(source, tool))
    await copyFile(path.join(source, file), path.join(work, file));
  const go = goRunner(name, work, surroundings);
  for (const { module, file, as, set } of tool.build.embed ?? []) {
    surroundings.onProgress?.("preparing embedded files");
    await go(["mod", "download", module]);
    const folder = (await go(["list", "-m", "-f", "{{.Dir}}", module])).trim();
    const content: unknown = JSON.parse(await readFile(path.join(folder, file), "utf8"));
    await writeFile(path.join(work, as), JSON.stringify({ ...(isObject(content) ? content : {}), ...set }));
  }
  const program = path.join(surroundings.folder, "program");
  await go(buildArguments(tool, program));
  return program;
}

type Go = (args: readonly string[]) => Promise<string>;

function goRunner(
  name: string,
  cwd: string,
  { log, signal, onProgress, env = process.env }: BuildSurroundings,
): Go {
  return async (args) => {
    await mkdir(path.dirname(log), { recursive: true });
    const logStream = createWriteStream(log, { flags: "a" });
    const child = spawn("go", args, {
      cwd,
      env: buildEnvironment(env),
      stdio: ["ignore", "pipe", "pipe"],
      // Go starts compilers; as a group of their own they can all be ended at once.
      detached: true,
    });
    const end = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    signal?.addEventListener("abort", end, { once: true });
    let output = "";
    let complaints = "";
    let compiling: NodeJS.Timeout | undefined;
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => {
      const text = chunk.toString();
      complaints += text;
      logStream.write(text);
      const last = text.trim().split("\n").at(-1) ?? "";
      if (!last.startsWith("go: downloading ")) return;
      onProgress?.(`fetching ${last.split(" ")[2] ?? ""}`);
      // Go says nothing while it compiles; the last module that it fetched must not look like what it hangs on.
      clearTimeout(compiling);
      compiling = setTimeout(() => onProgress?.("compiling"), FETCH_QUIET_MS);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }).finally(() => {
      clearTimeout(compiling);
      signal?.removeEventListener("abort", end);
      logStream.end();
    });
    if (signal?.aborted === true) throw new Failure("Interrupted.", ExitCode.interrupted);
    if (code !== 0) throw explainBuild(name, args, complaints, log);
    return output;
  };
}

/** Says why a build failed, as far as Go's words tell. */
export function explainBuild(
  name: string,
  args: readonly string[],
  complaints: string,
  log: string,
): Failure {
  const lines = complaints.split("\n").filter((line) => line !== "" && !line.startsWith("go: downloading "));
  const shown = lines.slice(-8).join("\n  ");
  const because = (sentence: string, code: number): Failure =>
    new Failure(`Cannot build ${name}: ${sentence}\n  ${shown}\nThe whole output is in ${log}.`, code);
  const said = lines.join("\n");
  if (/no space left on device/i.test(said)) {
    return because(
      "the disk is full. Free some gigabytes (`go clean -cache` frees Go's build cache) and run the command again: it goes on where it stopped.",
      ExitCode.diskFull,
    );
  }
  if (/SECURITY ERROR|checksum mismatch|missing go\.sum entry/i.test(said)) {
    return because(
      "a module is not the one that our go.sum was written for. Nothing of it was kept. If go.mod was changed on purpose, run `go mod tidy` in its folder.",
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
