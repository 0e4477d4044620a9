import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { parseJson, listAt, textAt } from "../../lib/json";
import { errorCode } from "../../lib/failure";
import { attempt, run } from "./command";

const GIBIBYTE = 1024 ** 3;

/** The file of a volume's or a snapshot's bytes. */
export function diskFile(dir: string, id: string): string {
  return path.join(dir, id.startsWith("snap-") ? "snapshots" : "volumes", `${id}.img`);
}

/** The ids of the snapshots in a folder. */
export async function snapshotFiles(dir: string): Promise<string[]> {
  const files = await readdir(path.join(dir, "snapshots")).catch(() => []);
  return files.filter((file) => file.endsWith(".img")).map((file) => path.basename(file, ".img"));
}

/** Makes an empty disk, or a copy of another one, of a size; its file takes room only for what is written. */
export async function makeDisk(file: string, sizeGiB: number, from?: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.draft`;
  await rm(draft, { force: true });
  if (from === undefined) await (await open(draft, "w", 0o600)).close();
  else await copySparse(from, draft);
  await truncate(draft, Math.max(sizeGiB * GIBIBYTE, (await stat(draft)).size));
  await rename(draft, file);
}

/** Copies a disk: a reference to the same blocks where the file system can do that, otherwise without its holes. */
export async function copyDisk(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  await copySparse(from, `${to}.draft`);
  await rename(`${to}.draft`, to);
}

/** Connects a disk to a loop device of the host and gives its path. */
export async function connectLoop(file: string): Promise<string> {
  return (await run(["losetup", "--find", "--show", "--nooverlap", file])).trim();
}

/** Disconnects a loop device. */
export async function disconnectLoop(loop: string): Promise<void> {
  await attempt(["losetup", "--detach", loop]);
}

/** Tells a loop device that its disk has another size. */
export async function refreshLoop(loop: string): Promise<void> {
  await run(["losetup", "--set-capacity", loop]);
}

/** Whether a file system on it is mounted anywhere, or something else has it for itself. */
export async function isBusy(loop: string): Promise<boolean> {
  try {
    // An exclusive open fails as long as anybody holds the device, in whatever mount namespace.
    const handle = await open(loop, constants.O_RDONLY | constants.O_EXCL);
    await handle.close();
    return false;
  } catch (error) {
    if (errorCode(error) === "EBUSY") return true;
    if (errorCode(error) === "ENXIO" || errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The loop devices whose disks lie below a folder. */
export async function loopsBelow(dir: string): Promise<string[]> {
  const table = parseJson(await run(["losetup", "--list", "--json", "--output", "NAME,BACK-FILE"]));
  return listAt(table, "loopdevices").flatMap((entry) => {
    const [name, file] = [textAt(entry, "name"), textAt(entry, "back-file")];
    return name !== undefined && file?.startsWith(`${dir}/`) === true ? [name] : [];
  });
}

/** What a machine shows for its volumes: lines for systemd-tmpfiles that make device nodes and links. */
export function volumeList(
  volumes: readonly { id: string; index: number; major: number; minor: number }[],
): string {
  const lines = volumes.flatMap(({ id, index, major, minor }) => [
    `b /dev/nvme${index}n1 0660 root disk - ${major}:${minor}`,
    // By this name the kernel lists it, and so UUIDs and labels are looked for there.
    `b /dev/loop${minor} 0660 root disk - ${major}:${minor}`,
    `L /dev/disk/by-id/${byIdName(id)} - - - - ../../nvme${index}n1`,
  ]);
  return ["d /dev/disk 0755 root root", "d /dev/disk/by-id 0755 root root", ...lines, ""].join("\n");
}

/** The stable name of a volume's device, as EC2 makes it from the serial number. */
export function byIdName(volumeId: string): string {
  return `nvme-Amazon_Elastic_Block_Store_${volumeId.replace("-", "")}`;
}

/** The numbers of a device node. */
export async function deviceNumbers(device: string): Promise<{ major: number; minor: number }> {
  const { rdev } = await stat(device);
  return { major: (rdev >>> 8) & 0xfff, minor: (rdev & 0xff) | ((rdev >>> 12) & 0xfff00) };
}

async function copySparse(from: string, to: string): Promise<void> {
  await run(["cp", "--reflink=auto", "--sparse=always", "--", from, to]);
}
