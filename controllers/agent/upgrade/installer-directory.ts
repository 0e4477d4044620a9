// The directory of an upgrade on the host: installer, output and exit code.
import { open } from "node:fs/promises";
import { UID } from "../../../api/upgrade-annotations";
import type { HostFolder, HostRoot } from "../host";
import { download } from "./download";
import { RKE2_INSTALLER, RUN } from "./scripts";
import type { InstallerFacts } from "./plan";

/** Where the host keeps upgrades: one directory each, named by the uid of the ClusterUpgrade. */
export const UPGRADES_FOLDER = "/var/lib/fleetwright/upgrades";
const MAX_READ_BYTES = 16_384;
const PRIVATE = { uid: 0, gid: 0, mode: 0o700 };

/** The installer that an upgrade names. */
export interface InstallerSource {
  url: string;
  digest: string;
}

/** The directory of one upgrade on the host: installer, run script, output and exit code. */
export class InstallerDirectory {
  readonly #root: HostRoot;
  readonly #uid: string;

  constructor(root: HostRoot, uid: string) {
    if (!UID.test(uid)) throw new Error(`${JSON.stringify(uid)} is not a valid uid.`);
    this.#root = root;
    this.#uid = uid;
  }

  /** Its path on the host. */
  get path(): string {
    return `${UPGRADES_FOLDER}/${this.#uid}`;
  }

  /** The state of the installer. */
  async inspect(): Promise<Omit<InstallerFacts, "running"> & { output: string }> {
    const found = await this.#root.ifFolder(this.path, async (folder) => ({
      fetched: (await folder.lstat("installer")) !== undefined,
      started: (await folder.lstat("started")) !== undefined,
      exitCode: exitCode((await folder.read("exit"))?.text),
      output: await tail(folder),
    }));
    return found?.result ?? { fetched: false, started: false, exitCode: undefined, output: "" };
  }

  /** Puts the installer in place: downloaded and verified, or the built-in one for RKE2. */
  async fetch(
    source: InstallerSource | undefined,
    options: { signal: AbortSignal; ca?: string | undefined },
  ): Promise<void> {
    await this.#root.ensureFolder(this.path, async (folder) => {
      await folder.write("run", RUN, PRIVATE);
      await folder.write(
        "installer",
        source === undefined ? RKE2_INSTALLER : (file) => download(source.url, source.digest, file, options),
        PRIVATE,
      );
    });
  }

  /** The command that runs the installer. */
  command(args: readonly string[]): string[] {
    return ["/bin/sh", `${this.path}/run`, this.path, ...args];
  }

  /** Removes the directory of an upgrade that no longer exists. */
  static async remove(root: HostRoot, uid: string): Promise<void> {
    await root.ifFolder(UPGRADES_FOLDER, async (all) => {
      const folder = await all.folder(uid);
      if (folder === undefined) return;
      try {
        for (const name of await folder.names()) await folder.remove(name);
      } finally {
        await folder.close();
      }
      await all.remove(uid);
    });
  }

  /** The uids of all upgrades that have a directory. */
  static async all(root: HostRoot): Promise<string[]> {
    const found = await root.ifFolder(UPGRADES_FOLDER, (all) => all.names());
    return (found?.result ?? []).filter((name) => UID.test(name));
  }
}

function exitCode(text: string | undefined): number | undefined {
  const found = /^(\d{1,3})\n$/.exec(text ?? "")?.[1];
  return found === undefined ? undefined : Math.min(Number(found), 255);
}

/** The end of the output only: an installer may write more than fits in memory. */
async function tail(folder: HostFolder): Promise<string> {
  const stats = await folder.lstat("output");
  if (stats?.isFile() !== true) return "";
  const handle = await open(folder.at("output"), "r");
  try {
    const length = Math.min(stats.size, MAX_READ_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, stats.size - length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The name of the systemd unit that runs an upgrade's installer. */
export function serviceName(uid: string): string {
  return `fleetwright-upgrade-${uid}`;
}
