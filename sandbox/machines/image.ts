import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { ExitCode, Failure } from "../../lib/failure";
import { type Progress, silentProgress } from "../../lib/progress";
import { cacheRoot, withLock } from "../toolchain";
import { type AptSource, parseOneLineSources, parseParagraphSources, sourceOf } from "./apt-sources";
import { machinesAvailable } from "./availability";
import { attempt, systemEnvironment } from "./command";
import { DEFAULT_RELEASE, FILES, FINISH, imageKey, PACKAGES } from "./image-recipe";

/** The root folder of the machines' image; made on first use, which takes a minute or two. */
export async function ensureImage(progress: Progress = silentProgress): Promise<string> {
  const release = await hostRelease();
  const key = imageKey(release);
  const images = path.join(cacheRoot(), "images");
  const root = path.join(images, key);
  if (await isFolder(root)) return root;
  const availability = machinesAvailable();
  if (!availability.ok) throw new Failure(availability.reason, ExitCode.prerequisite);
  const wait = (holder: string): void => {
    progress.note(` • waiting for the machines' image, which process ${holder} makes`);
  };
  return withLock(
    path.join(cacheRoot(), "locks", "machine-image.lock"),
    async () => {
      if (await isFolder(root)) return root;
      // Only the holder of the lock works here, so what is found was left by one that died.
      const draft = path.join(images, `.draft-${key}`);
      await rm(draft, { recursive: true, force: true });
      await mkdir(images, { recursive: true });
      await progress.step("making the machines' image", async (update) => {
        update(`Debian ${release}, ${PACKAGES.length} packages`);
        await bootstrap(release, draft);
        update("settings");
        await finish(draft);
      });
      await rename(draft, root);
      return root;
    },
    wait,
  );
}

/** Whether the machines' image has been made already. */
export async function imageExists(): Promise<boolean> {
  return isFolder(path.join(cacheRoot(), "images", imageKey(await hostRelease())));
}

/** The archives that the host itself installs from. */
export async function hostSources(folder = "/etc/apt"): Promise<AptSource[]> {
  const parts = path.join(folder, "sources.list.d");
  const names = (await readdir(parts).catch(() => [])).sort();
  const read = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");
  const paragraphs = names.filter((name) => name.endsWith(".sources")).map((name) => path.join(parts, name));
  const lines = names.filter((name) => name.endsWith(".list")).map((name) => path.join(parts, name));
  return [
    ...(await Promise.all([path.join(folder, "sources.list"), ...lines].map(read))).flatMap(
      parseOneLineSources,
    ),
    ...(await Promise.all(paragraphs.map(read))).flatMap(parseParagraphSources),
  ];
}

async function hostRelease(): Promise<string> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(text)?.[1] ?? DEFAULT_RELEASE;
}

async function bootstrap(release: string, target: string): Promise<void> {
  const source = sourceOf(await hostSources(), release);
  if (source === undefined) {
    throw new Failure(
      `The machines' image is made from the host's own package source, but none in /etc/apt/sources.list or /etc/apt/sources.list.d offers "${release} main". Add one and run the command again.`,
      ExitCode.prerequisite,
    );
  }
  const command = [
    "debootstrap",
    "--variant=minbase",
    `--include=${PACKAGES.join(",")}`,
    `--components=${source.components.join(",")}`,
    ...(source.keyring === undefined ? [] : [`--keyring=${source.keyring}`]),
    release,
    target,
    source.uri,
  ];
  // In mount and process namespaces of its own nothing of it stays mounted or running, however it ends.
  const result = await attempt([
    ...["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
    ...command,
  ]);
  if (result.code !== 0) {
    const log = await readFile(path.join(target, "debootstrap", "debootstrap.log"), "utf8").catch(() => "");
    const tail = `${result.stdout}\n${log}`.trim().split("\n").slice(-8).join("\n  ");
    throw new Failure(`debootstrap ended with exit code ${result.code}:\n  ${tail}`, ExitCode.network);
  }
}

async function finish(root: string): Promise<void> {
  for (const [file, text] of Object.entries(FILES)) {
    const target = path.join(root, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
    await chmod(target, 0o644);
  }
  const isolated = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--", "chroot", root];
  const env = { ...systemEnvironment(), PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  const { code, stderr } = await attempt([...isolated, "sh", "-c", FINISH], { env });
  if (code !== 0) throw new Failure(`The settings of the machines' image failed:\n  ${stderr.trim()}`);
}

async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
