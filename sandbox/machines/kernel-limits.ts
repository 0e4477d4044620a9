import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Progress } from "../../lib/progress";

/**
 * Every systemd, containerd and kubelet watches files, and all of them are the same user to the kernel. Debian's limit
 * of 128 watchers is used up by about four machines that are nodes; what starts after that fails in odd ways.
 */
export const MIN_LIMITS: Readonly<Record<string, number>> = {
  "fs/inotify/max_user_instances": 8192,
  "fs/inotify/max_user_watches": 524_288,
};

/** Raises limits of the host's kernel that many machines together would run into. They stay until the next boot. */
export async function raiseLimits(
  progress: Progress,
  { limits = MIN_LIMITS, folder = "/proc/sys" } = {},
): Promise<void> {
  for (const [name, least] of Object.entries(limits)) {
    const file = path.join(folder, name);
    const found = Number(await readFile(file, "utf8").catch(() => Number.NaN));
    if (Number.isNaN(found) || found >= least) continue;
    const setting = name.replaceAll("/", ".");
    try {
      await writeFile(file, String(least));
      progress.note(` • raised the kernel's ${setting} from ${found} to ${least}, until the next boot`);
    } catch {
      progress.note(
        ` • the kernel's ${setting} is ${found}, too few for more than about four machines, and cannot be raised from here: sysctl -w ${setting}=${least}`,
      );
    }
  }
}
