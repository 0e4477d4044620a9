import { renameSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { errorCode } from "./failure";

/** Makes directories that only their owner can enter, also where they existed with wider permissions. */
export async function makePrivateDirectories(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
  }
}

/** Writes a file that only its owner can read, whole or not at all. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

/** The same, synchronously, so that of two writes the later one wins. */
export function writePrivateSync(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/** The text of a file, or undefined where there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
