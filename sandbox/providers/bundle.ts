import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { cacheRoot, withLock } from "../toolchain";

const ROOT = path.dirname(path.dirname(__dirname));
const SHARED_FOLDERS = [path.join(__dirname, "shell"), path.join(ROOT, "lib")];
const FILE = "provider.js";
const KEPT_MS = 14 * 24 * 3_600_000;

/**
 * Makes one JavaScript file of a provider, in the cache, unless it is there already. Started from its sources through
 * `tsx`, a provider would need several times as long to its first word, at every command of the engine.
 */
export async function bundleProvider(name: string, root: string = cacheRoot()): Promise<string> {
  const folder = path.join(root, "providers", name);
  const target = path.join(folder, await sourceKey(name));
  const file = path.join(target, FILE);
  if (await exists(file)) return file;
  await withLock(path.join(root, "locks", `provider-${name}.lock`), async () => {
    if (await exists(file)) return;
    const work = path.join(folder, `work-${process.pid}`);
    await mkdir(work, { recursive: true });
    try {
      await writeFile(path.join(work, FILE), await bundle(path.join(__dirname, name, "main.ts")));
      await rm(target, { recursive: true, force: true });
      await rename(work, target);
      await dropOld(folder, target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  return file;
}

/** Names a provider's sources: it changes with each of them, with those it shares, and with every dependency. */
export async function sourceKey(name: string): Promise<string> {
  const { version } = await import("esbuild");
  const hash = createHash("sha256").update(`${version}\0${process.versions.node}\0`);
  const folders = [path.join(__dirname, name), ...SHARED_FOLDERS];
  const inFolders = await Promise.all(folders.map((folder) => filesIn(folder, true)));
  const sources = [...inFolders.flat(), ...(await filesIn(__dirname, false))].filter(isSource).sort();
  for (const file of [...sources, path.join(ROOT, "package-lock.json")]) {
    hash.update(`${path.relative(ROOT, file)}\0`).update(await readFile(file).catch(() => ""));
  }
  return hash.digest("hex").slice(0, 16);
}

async function filesIn(folder: string, recursive: boolean): Promise<string[]> {
  return (await readdir(folder, { recursive })).map((file) => path.join(folder, file));
}

function isSource(file: string): boolean {
  return file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.split(path.sep).includes("testing");
}

async function bundle(entry: string): Promise<Uint8Array> {
  const esbuild = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    // The SSH library tries these compiled helpers and does without them.
    external: ["cpu-features", "*.node"],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "silent",
  });
  const [made] = outputFiles;
  if (made === undefined) throw new Error(`esbuild made nothing of ${path.relative(ROOT, entry)}.`);
  return made.contents;
}

/** Bundles of other sources are kept while another checkout may still use them, but not for ever. */
async function dropOld(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const other = path.join(folder, name);
    const age = Date.now() - (await stat(other)).mtimeMs;
    if (other !== current && age > KEPT_MS) await rm(other, { recursive: true, force: true });
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
