import { open } from "node:fs/promises";
import { UID } from "../../handover";
import type { HostFolder, HostRoot } from "../host";
import { download } from "./download";
import { RKE2_INSTALLER, RUN } from "./scripts";
import type { InstallerFacts } from "./step";

/** Where upgrades are kept on the host, each in a folder by its uid. */
export const UPGRADES_FOLDER = "/var/lib/fleetwright/upgrades";
const MOST_READ = 16_384;
const PRIVATE = { uid: 0, gid: 0, mode: 0o700 };

/** The installer that an upgrade names. */
export interface InstallerSource {
  url: string;
  digest: string;
}

/** The folder of one upgrade on the host. */
export class Workshop {
  readonly #root: HostRoot;
  readonly #uid: string;

  constructor(root: HostRoot, uid: string) {
    if (!UID.test(uid)) throw new Error(`${JSON.stringify(uid)} is no uid of an object.`);
    this.#root = root;
    this.#uid = uid;
  }

  /** The folder as the host calls it. */
  get folder(): string {
    return `${UPGRADES_FOLDER}/${this.#uid}`;
  }

  /** What there is of the installer. */
  async look(): Promise<Omit<InstallerFacts, "runs"> & { output: string }> {
    const found = await this.#root.ifFolder(this.folder, async (folder) => ({
      fetched: (await folder.look("installer")) !== undefined,
      started: (await folder.look("started")) !== undefined,
      exitCode: exitCode((await folder.read("exit"))?.text),
      output: await tail(folder),
    }));
    return found?.result ?? { fetched: false, started: false, exitCode: undefined, output: "" };
  }

  /** Puts the installer in place, downloaded and checked, or our own for RKE2. */
  async fetch(
    source: InstallerSource | undefined,
    options: { signal: AbortSignal; ca?: string | undefined },
  ): Promise<void> {
    await this.#root.ensureFolder(this.folder, async (folder) => {
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
    return ["/bin/sh", `${this.folder}/run`, this.folder, ...args];
  }

  /** Forgets an upgrade that no longer exists. */
  static async forget(root: HostRoot, uid: string): Promise<void> {
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

  /** The uids of all upgrades that there are folders of. */
  static async all(root: HostRoot): Promise<string[]> {
    const found = await root.ifFolder(UPGRADES_FOLDER, (all) => all.names());
    return (found?.result ?? []).filter((name) => UID.test(name));
  }
}

function exitCode(text: string | undefined): number | undefined {
  const found = /^(\d{1,3})\n$/.exec(text ?? "")?.[1];
  return found === undefined ? undefined : Math.min(Number(found), 255);
}

/** The end of the output: an installer may write more than fits in memory. */
async function tail(folder: HostFolder): Promise<string> {
  const stats = await folder.look("output");
  if (stats?.isFile() !== true) return "";
  const handle = await open(folder.at("output"), "r");
  try {
    const length = Math.min(stats.size, MOST_READ);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, stats.size - length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The name of an upgrade's service on the host. */
export function serviceName(uid: string): string {
  return `fleetwright-upgrade-${uid}`;
}
