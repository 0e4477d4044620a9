import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { errorCode, errorMessage, ExitCode, Failure } from "../../lib/failure";
import type { Tool } from "./tools";

/** The folder of everything that can be rebuilt: `$XDG_CACHE_HOME/fleetwright` or `~/.cache/fleetwright`. */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_CACHE_HOME;
  // The XDG specification says that a relative path is to be ignored.
  return path.join(
    base !== undefined && path.isAbsolute(base) ? base : path.join(os.homedir(), ".cache"),
    "fleetwright",
  );
}

/** The folder of the Go modules that the table names. */
export const GO_FOLDER = path.join(__dirname, "go");

/** The folder of a tool's Go module. */
export function moduleFolder({ build }: Tool, goFolder: string = GO_FOLDER): string {
  return path.join(build.ours === true ? path.join(__dirname, "..", "..") : goFolder, build.folder);
}

/** What the cache records beside a program. */
export interface Manifest {
  origin: "download" | "build";
  version: string;
  size: number;
  sha256: string;
}

/**
 * Names what a row of the table makes. It changes with the version, the digests, the build flags and every file of the
 * Go module, so that a cached program always is what the table says.
 */
export async function recipeKey(tool: Tool, goFolder: string = GO_FOLDER): Promise<string> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([process.platform, process.arch, tool.version, tool.download, tool.build]));
  const folder = moduleFolder(tool, goFolder);
  for (const file of await sourceFiles(folder, tool)) {
    hash.update(`\0${file}\0`).update(await readFile(path.join(folder, file)));
  }
  return `${tool.version}-${hash.digest("hex").slice(0, 12)}`;
}

/** The files of a tool's Go module that are committed. */
export async function sourceFiles(folder: string, tool: Tool): Promise<string[]> {
  const made = new Set((tool.build.embed ?? []).map(({ as }) => as));
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new Failure(
      `The table of tools names the Go module "${tool.build.folder}", but ${folder} does not exist. Correct build.folder in sandbox/toolchain/tools.ts.`,
    );
  });
  return names.filter((name) => /(^go\.(mod|sum)|(?<!_test)\.go)$/.test(name) && !made.has(name)).sort();
}

/** The programs that were downloaded or built, one folder for each tool and recipe. */
export class ToolCache {
  constructor(readonly root: string = cacheRoot()) {}

  /** The folder of one tool at one recipe; it exists complete or not at all. */
  private folder(name: string, key: string): string {
    return path.join(this.root, "tools", name, key);
  }

  lockFile(name: string): string {
    return path.join(this.root, "locks", `${name}.lock`);
  }

  logFile(name: string): string {
    return path.join(this.root, "logs", `${name}.log`);
  }

  /** A cached program with its manifest, if it exists and has the recorded size. */
  async find(name: string, key: string): Promise<{ path: string; manifest: Manifest } | undefined> {
    const folder = this.folder(name, key);
    const program = path.join(folder, name);
    try {
      const manifest = parseManifest(await readFile(path.join(folder, "manifest.json"), "utf8"));
      await access(program, constants.X_OK);
      const { size } = await stat(program);
      return manifest?.size === size ? { path: program, manifest } : undefined;
    } catch (error) {
      if (errorCode(error) === "ENOENT" || errorCode(error) === "EACCES") return undefined;
      throw error;
    }
  }

  /** A new empty folder on the cache's file system, for work that may be interrupted at any time. */
  async workFolder(name: string): Promise<string> {
    const folder = path.join(this.root, "work", `${name}-${process.pid}-${randomBytes(4).toString("hex")}`);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** Removes what runs that died left in the work folder; the caller holds the lock of `name`. */
  async sweep(name: string): Promise<void> {
    const work = path.join(this.root, "work");
    const leftovers = await readdir(work).catch(() => []);
    for (const entry of leftovers.filter((entry) => new RegExp(`^${name}-\\d+-[0-9a-f]+$`).test(entry))) {
      await removeTree(path.join(work, entry));
    }
  }

  /** Puts a finished program into the cache, atomically. */
  async install(
    name: string,
    key: string,
    program: string,
    facts: Pick<Manifest, "origin" | "version">,
  ): Promise<void> {
    const staging = await this.workFolder(name);
    const target = path.join(staging, name);
    await rename(program, target);
    const bytes = await readFile(target);
    const manifest: Manifest = {
      ...facts,
      size: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
    await writeFile(path.join(staging, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    // The rename must not reach the disk before the bytes do, or a power cut would leave an empty program behind.
    for (const file of [target, path.join(staging, "manifest.json")]) {
      const handle = await open(file, "r+");
      await handle.chmod(file === target ? 0o755 : 0o644);
      await handle.sync();
      await handle.close();
    }
    const folder = this.folder(name, key);
    await mkdir(path.dirname(folder), { recursive: true });
    await removeTree(folder);
    await rename(staging, folder);
    await this.dropOtherRecipes(name, key);
  }

  /** Old recipes are kept for a month, since another checkout may use them. */
  private async dropOtherRecipes(name: string, key: string): Promise<void> {
    const parent = path.join(this.root, "tools", name);
    const monthAgo = Date.now() - 30 * 24 * 3600 * 1000;
    for (const entry of await readdir(parent)) {
      const folder = path.join(parent, entry);
      if (entry !== key && (await stat(folder)).mtimeMs < monthAgo) await removeTree(folder);
    }
  }
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isManifest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "origin" in value &&
    (value.origin === "download" || value.origin === "build") &&
    "version" in value &&
    typeof value.version === "string" &&
    "size" in value &&
    typeof value.size === "number"
  );
}

/** Removes a folder and everything in it; Go writes its module copies read-only, which `rm` alone does not mind as root only. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Turns "no space left" into a sentence with the way out; anything else stays as it is. */
export function explainDisk(error: unknown, where: string): unknown {
  return errorCode(error) === "ENOSPC" || /no space left on device/i.test(errorMessage(error))
    ? new Failure(
        `The disk is full: no space left on the file system of ${where}. Free some gigabytes there (\`go clean -cache\` frees Go's build cache) or set XDG_CACHE_HOME to another disk, and run the command again: it resumes where it stopped.`,
        ExitCode.diskFull,
        { cause: error },
      )
    : error;
}
