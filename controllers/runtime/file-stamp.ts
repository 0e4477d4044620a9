// Tells whether files have changed, by inode, size and modification time.
import { stat } from "node:fs/promises";

/** A text that differs when one of the files changed. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map(async (file) => {
    try {
      // Secrets in pods are links that are swapped: stat follows them, so the inode tells.
      const { mtimeMs, ino, size } = await stat(file);
      return `${mtimeMs}:${ino}:${size}`;
    } catch {
      return "missing";
    }
  });
  return (await Promise.all(stamps)).join(" ");
}
