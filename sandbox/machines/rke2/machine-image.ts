// The image of machines that can run the stand-in for RKE2.
import { createHash } from "node:crypto";
import { cp, link, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../../lib/failure";
import { type Progress, silentProgress } from "../../../lib/progress";
import { ensureImageNode } from "../../node-release";
import { cacheRoot, ensureTools, withLock } from "../../toolchain";
import { run } from "../command";
import { ensureImage } from "../image";
import { ensureCorednsImage, ensurePauseImage } from "../images";
import { parseLibraries } from "../images/node-image";
import { DEFAULT_RELEASE, programsOf, runtimeFolder } from "./version";

const NODE = "/opt/fleetwright/node";
const KEPT_MS = 14 * 24 * 3_600_000;

/** What an image is made of. */
export interface Rke2ImageOptions {
  /** The releases that its machines can run. @default the default one alone */
  releases?: readonly string[];
  progress?: Progress;
}

/**
 * The root folder of a machines' image that can run the stand-in for RKE2: the plain image, and in it Node and the
 * programs and container images of each release, as an AMI has them whose owner put RKE2's air-gapped artefacts in.
 * All of it is hard links into the cache, so that it takes no room and no time, and every machine shares the pages.
 */
export async function rke2Image(options: Rke2ImageOptions = {}): Promise<string> {
  const { releases = [DEFAULT_RELEASE], progress = silentProgress } = options;
  const base = await ensureImage(progress);
  const files = await contents(releases, progress);
  const key = createHash("sha256")
    .update(JSON.stringify([base, files]))
    .digest("hex")
    .slice(0, 12);
  const images = path.join(cacheRoot(), "rke2", "images");
  const root = path.join(images, `${path.basename(base)}-${key}`);
  await withLock(path.join(cacheRoot(), "locks", "rke2-image.lock"), async () => {
    if (await exists(root)) return;
    await mkdir(images, { recursive: true });
    const draft = path.join(images, ".draft");
    await rm(draft, { recursive: true, force: true });
    await run(["cp", "--archive", "--link", base, draft]);
    for (const [target, source] of Object.entries(files)) await linkOrCopy(source, path.join(draft, target));
    await rename(draft, root);
    await dropOld(images, root);
  });
  return root;
}

/** What is put into the image: paths in it, and where each comes from. */
async function contents(releases: readonly string[], progress: Progress): Promise<Record<string, string>> {
  const { path: node } = await ensureImageNode(progress);
  const libraries = parseLibraries(await run(["ldd", node]));
  const files: Record<string, string> = { [`${NODE}/bin/node`]: node };
  for (const file of libraries) files[`${NODE}/lib/${libraryName(file)}`] = file;
  for (const release of releases) {
    const runtime = runtimeFolder(release);
    const programs = programsOf(release);
    const tools = await ensureTools(Object.values(programs), { progress });
    for (const [name, tool] of Object.entries(programs)) files[`${runtime}/bin/${name}`] = tools[tool].path;
    files[`${runtime}/images/pause.tar`] = await ensurePauseImage();
    files[`${runtime}/images/coredns.tar`] = await ensureCorednsImage();
  }
  return files;
}

/** The loader has another name on every processor; here it has one. */
function libraryName(file: string): string {
  const name = path.basename(file);
  return name.startsWith("ld-") ? "loader" : name;
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  try {
    await link(await realFile(source), target);
  } catch (error) {
    // Another file system, or one that forbids it.
    if (!["EXDEV", "EPERM", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
    await cp(source, target, { dereference: true });
  }
}

async function realFile(file: string): Promise<string> {
  return (await run(["readlink", "-f", file])).trim();
}

async function dropOld(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const other = path.join(folder, name);
    if (other !== current && Date.now() - (await stat(other)).mtimeMs > KEPT_MS)
      await rm(other, { recursive: true, force: true });
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
