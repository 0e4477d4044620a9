import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { cacheRoot, withLock } from "../../toolchain";
import { run } from "../command";
import { bundleStandIn } from "./bundle";
import { runtimeFolder } from "./version";

const PAYLOAD = path.join(__dirname, "payload");
/** The name of RKE2's archive for this processor. */
export const ARCH = process.arch === "arm64" ? "arm64" : "amd64";

/** The files of a release, as RKE2's download page and its air-gapped installation have them. */
export interface Rke2Release {
  version: string;
  /** Holds `<version>/rke2.linux-<arch>.tar.gz` and `<version>/sha256sum-<arch>.txt`. */
  dir: string;
  archive: string;
  sums: string;
}

/**
 * Makes the archive of a release of the stand-in and its sums, in the cache. It is small: the programs and container
 * images that it runs are in the machines' image (`rke2Image`), where a real one unpacks them from its runtime image.
 */
export async function rke2Release(version: string): Promise<Rke2Release> {
  const runtime = runtimeFolder(version);
  const bundle = await bundleStandIn();
  const key = await releaseKey(version, bundle);
  const dir = path.join(cacheRoot(), "rke2", "releases", key);
  const folder = path.join(dir, version);
  const archive = path.join(folder, `rke2.linux-${ARCH}.tar.gz`);
  const sums = path.join(folder, `sha256sum-${ARCH}.txt`);
  await withLock(path.join(cacheRoot(), "locks", "rke2-release.lock"), async () => {
    if (await exists(sums)) return;
    await mkdir(path.dirname(dir), { recursive: true });
    const work = await mkdtemp(path.join(path.dirname(dir), ".draft-"));
    try {
      await pack(version, runtime, bundle, work);
      await rm(dir, { recursive: true, force: true });
      await chmod(work, 0o755);
      await rename(work, dir);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  return { version, dir, archive, sums };
}

async function pack(version: string, runtime: string, bundle: Uint8Array, work: string): Promise<void> {
  const tree = path.join(work, "tree");
  await cp(PAYLOAD, tree, { recursive: true });
  for (const name of await readdir(path.join(tree, "bin"))) await chmod(path.join(tree, "bin", name), 0o755);
  const share = path.join(tree, "share", "rke2");
  await writeFile(path.join(share, "standin.js"), bundle);
  await writeFile(path.join(share, "release.json"), `${JSON.stringify({ version, runtime })}\n`);
  const folder = path.join(work, version);
  await mkdir(folder);
  const name = `rke2.linux-${ARCH}.tar.gz`;
  const archive = path.join(folder, name);
  const fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  await run(["tar", ...fixed, "-C", tree, "-czf", archive, "bin", "lib", "share"]);
  const digest = createHash("sha256")
    .update(await readFile(archive))
    .digest("hex");
  await writeFile(path.join(folder, `sha256sum-${ARCH}.txt`), `${digest}  ${name}\n`);
  await rm(tree, { recursive: true });
}

async function releaseKey(version: string, bundle: Uint8Array): Promise<string> {
  const hash = createHash("sha256").update(version).update(bundle);
  const files = (await readdir(PAYLOAD, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  for (const file of paths) hash.update(path.relative(PAYLOAD, file)).update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
