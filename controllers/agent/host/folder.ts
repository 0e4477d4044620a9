import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rmdir,
  unlink,
  type FileHandle,
} from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../runtime";
import { HostRefusal } from "./refusal";

/** Who owns a file and who may do what with it. */
export interface Ownership {
  uid: number;
  gid: number;
  mode: number;
}

/** Asked before every change on the host; tests of crashes let it die. */
export type HostGuard = () => void;

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const MOST_BYTES = 64 * 2 ** 20;

/**
 * A folder of the host, held open. All that is done in it happens in this very folder and not in what its path means by
 * then, and no symbolic link is followed: whoever owns a folder on the way cannot lead the agent, which is root,
 * elsewhere. Node has no `openat`; the kernel's link to an open folder, `/proc/self/fd/N`, serves as well.
 */
export class HostFolder {
  private constructor(
    /** As the host calls it, for messages. */
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly guard: HostGuard,
  ) {}

  /** Opens the root, by whatever way it is mounted. */
  static async root(place: string, guard: HostGuard): Promise<HostFolder> {
    return new HostFolder("/", await open(place, O_RDONLY | O_DIRECTORY), guard);
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Opens a folder below; undefined if there is nothing of that name. */
  async folder(name: string): Promise<HostFolder | undefined> {
    try {
      const handle = await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      return new HostFolder(this.named(name), handle, this.guard);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw await this.refusal(name, error, "a folder");
    }
  }

  /** What stands under a name, links as such; undefined if nothing does. */
  async look(name: string): Promise<Stats | undefined> {
    try {
      return await lstat(this.at(name));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  names(): Promise<string[]> {
    return readdir(`/proc/self/fd/${this.handle.fd}`);
  }

  linkTarget(name: string): Promise<string> {
    return readlink(this.at(name));
  }

  /** A file's text with what is known of the file; undefined if there is none. */
  async read(name: string): Promise<{ text: string; stats: Stats } | undefined> {
    let handle: FileHandle;
    try {
      // Without waiting: a pipe with nobody at the other end must not hold the agent.
      handle = await open(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw await this.refusal(name, error, "a file");
    }
    try {
      const stats = await handle.stat();
      if (!stats.isFile())
        throw new HostRefusal("NotAFile", `${this.named(name)} is not a file: remove it from the node.`);
      if (stats.size > MOST_BYTES)
        throw new HostRefusal("FileTooLarge", `${this.named(name)} has ${stats.size} bytes: look at it.`);
      return { text: await handle.readFile("utf8"), stats };
    } finally {
      await handle.close();
    }
  }

  /**
   * Puts a file in place: whole or not at all, with its owner and mode from the first moment, and on the disk when this
   * returns. `check` may refuse at the last moment before the new file takes the place of the old.
   */
  async write(
    name: string,
    content: string | ((file: FileHandle) => Promise<void>),
    { uid, gid, mode }: Ownership,
    check: () => Promise<void> = async () => {},
  ): Promise<void> {
    const drafts = `.fleetwright-${name}-`;
    // What a crash left behind. Somebody who owns the folder may have put something there that does not go so easily.
    for (const found of await this.names())
      if (found.startsWith(drafts)) await this.remove(found).catch(() => {});
    const draft = `${drafts}${randomBytes(6).toString("hex")}`;
    this.guard();
    const handle = await open(this.at(draft), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
    try {
      try {
        if (typeof content === "string") await handle.writeFile(content);
        else await content(handle);
        await own(handle, { uid, gid, mode });
        await handle.sync();
      } finally {
        await handle.close();
      }
      await check();
      this.guard();
      await rename(this.at(draft), this.at(name));
    } catch (error) {
      await unlink(this.at(draft)).catch(() => {});
      throw error;
    }
    this.guard();
    await this.handle.sync();
  }

  /** Makes a folder below and opens it; one that is there gets owner and mode. */
  async ensureFolder(name: string, wanted: Ownership): Promise<HostFolder> {
    let found = await this.folder(name);
    if (found === undefined) {
      this.guard();
      await mkdir(this.at(name), 0o700);
      found = await this.folder(name);
      if (found === undefined) throw new HostRefusal("Vanished", `${this.named(name)} vanished at once.`);
      await found.orClosed(() => this.handle.sync());
    }
    await found.orClosed((folder) => folder.setOwnership(wanted));
    return found;
  }

  /** Does something with this folder, and closes it if that fails. */
  async orClosed<T>(work: (folder: this) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Gives this folder an owner and a mode, if it has others. Says whether it had. */
  async setOwnership(wanted: Ownership): Promise<boolean> {
    const { uid, gid, mode } = await this.handle.stat();
    if (uid === wanted.uid && gid === wanted.gid && (mode & 0o7777) === wanted.mode) return false;
    this.guard();
    await own(this.handle, wanted);
    return true;
  }

  /** Who owns this folder. */
  async ownership(): Promise<Ownership> {
    const { uid, gid, mode } = await this.handle.stat();
    return { uid, gid, mode: mode & 0o7777 };
  }

  /** Removes a file, a link or an empty folder. Gone already is fine. */
  async remove(name: string): Promise<void> {
    const found = await this.look(name);
    if (found === undefined) return;
    this.guard();
    if (found.isDirectory()) await rmdir(this.at(name));
    else await unlink(this.at(name));
    await this.handle.sync();
  }

  /** Gives something another name here. */
  async rename(from: string, to: string): Promise<void> {
    this.guard();
    await rename(this.at(from), this.at(to));
    await this.handle.sync();
  }

  /** The path by which other calls reach something in this very folder, while it is open. */
  at(name: string): string {
    if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0"))
      throw new Error(`${JSON.stringify(name)} is no name of a file.`);
    return `/proc/self/fd/${this.handle.fd}/${name}`;
  }

  private named(name: string): string {
    return path.join(this.path, name);
  }

  private async refusal(name: string, error: unknown, wanted: string): Promise<unknown> {
    if (!["ELOOP", "ENOTDIR", "ENXIO"].includes(errorCode(error) ?? "")) return error;
    const link = (await this.look(name).catch(() => undefined))?.isSymbolicLink() === true;
    return link
      ? new HostRefusal(
          "SymbolicLink",
          `${this.named(name)} is a symbolic link to ${await this.linkTarget(name).catch(() => "somewhere")}: the agent follows none. Put ${wanted} there.`,
        )
      : new HostRefusal("NotAFolder", `${this.named(name)} is not ${wanted}: remove it from the node.`);
  }
}

async function own(handle: FileHandle, { uid, gid, mode }: Ownership): Promise<void> {
  await handle.chown(uid, gid);
  // After the owner: a change of owner drops bits of the mode.
  await handle.chmod(mode);
}
