// Safe access to folders and files of the host: no symbolic link is followed, writes are atomic.
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

/** Called before every change on the host; crash tests make it throw. */
export type HostGuard = () => void;

/** Hears of every file and folder of the host that was made or replaced, by its path there. */
export type WriteListener = (path: string) => void;

/** How the text of a file is written in bytes: in Latin-1, every byte is a character and comes back as it was. */
export type TextEncoding = "utf8" | "latin1";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const MAX_BYTES = 64 * 2 ** 20;

/**
 * A folder of the host, held open. All operations work on this very folder, whatever its path has come to mean, and no
 * symbolic link is followed: the owner of a folder on the way cannot redirect the agent, which is root. Node has no
 * `openat`; the kernel's link to an open folder, `/proc/self/fd/N`, does the same.
 */
export class HostFolder {
  private constructor(
    /** Its path on the host, for messages. */
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly guard: HostGuard,
    private readonly onWrite: WriteListener,
  ) {}

  /** Opens the root, by whatever way it is mounted. */
  static async root(mountPath: string, guard: HostGuard, onWrite: WriteListener): Promise<HostFolder> {
    return new HostFolder("/", await open(mountPath, O_RDONLY | O_DIRECTORY), guard, onWrite);
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Opens a folder below; undefined if there is nothing of that name. */
  async folder(name: string): Promise<HostFolder | undefined> {
    try {
      const handle = await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      return new HostFolder(this.named(name), handle, this.guard, this.onWrite);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw await this.refusal(name, error, "a folder");
    }
  }

  /** The stats of a name, without following links; undefined if it does not exist. */
  async lstat(name: string): Promise<Stats | undefined> {
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

  /** Where a link points, for people: short and plain, for whoever made it chose the text. */
  async linkTarget(name: string): Promise<string> {
    const target = (await readlink(this.at(name))).replace(/[^ -~]/g, "?");
    return target.length > 80 ? `${target.slice(0, 79)}…` : target;
  }

  /** The text and the stats of a file; undefined if there is none. */
  async read(
    name: string,
    encoding: TextEncoding = "utf8",
  ): Promise<{ text: string; stats: Stats } | undefined> {
    let handle: FileHandle;
    try {
      // Without blocking: a pipe without a writer must not hang the agent.
      handle = await open(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw await this.refusal(name, error, "a file");
    }
    try {
      const stats = await handle.stat();
      if (!stats.isFile())
        throw new HostRefusal(
          "NotAFile",
          `${this.named(name)} is not a regular file: remove it from the node.`,
        );
      if (stats.size > MAX_BYTES)
        throw new HostRefusal(
          "FileTooLarge",
          `${this.named(name)} has ${stats.size} bytes, more than ${MAX_BYTES}: check it.`,
        );
      return { text: await handle.readFile(encoding), stats };
    } finally {
      await handle.close();
    }
  }

  /**
   * Writes a file atomically, with its owner and mode from the start, and synced to disk when this returns. `check` may
   * refuse right before the new file replaces the old one.
   */
  async write(
    name: string,
    content: string | ((file: FileHandle) => Promise<void>),
    { uid, gid, mode }: Ownership,
    {
      check = async () => {},
      encoding = "utf8",
    }: { check?: () => Promise<void>; encoding?: TextEncoding } = {},
  ): Promise<void> {
    const drafts = `.fleetwright-${name}-`;
    // Leftovers of a crash. The owner of the folder may have put something there that cannot be removed.
    for (const found of await this.names())
      if (found.startsWith(drafts)) await this.remove(found).catch(() => {});
    const draft = `${drafts}${randomBytes(6).toString("hex")}`;
    this.guard();
    const handle = await open(this.at(draft), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
    try {
      try {
        if (typeof content === "string") await handle.writeFile(content, encoding);
        else await content(handle);
        await own(handle, { uid, gid, mode });
        await handle.sync();
      } finally {
        await handle.close();
      }
      await check();
      this.guard();
      await rename(this.at(draft), this.at(name));
      this.onWrite(this.named(name));
    } catch (error) {
      await unlink(this.at(draft)).catch(() => {});
      throw error;
    }
    this.guard();
    await this.handle.sync();
  }

  /** Creates a folder below, or takes an existing one, sets owner and mode and opens it. */
  async ensureFolder(name: string, wanted: Ownership): Promise<HostFolder> {
    let found = await this.folder(name);
    if (found === undefined) {
      this.guard();
      await mkdir(this.at(name), 0o700);
      this.onWrite(this.named(name));
      found = await this.folder(name);
      if (found === undefined)
        throw new HostRefusal("Vanished", `${this.named(name)} disappeared right after it was created.`);
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

  /** Sets owner and mode of this folder if they differ. Returns whether they did. */
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

  /** Removes a file, a link or an empty folder, if it exists. */
  async remove(name: string): Promise<void> {
    const found = await this.lstat(name);
    if (found === undefined) return;
    this.guard();
    if (found.isDirectory()) await rmdir(this.at(name));
    else await unlink(this.at(name));
    await this.handle.sync();
  }

  /** Renames an entry of this folder. */
  async rename(from: string, to: string): Promise<void> {
    this.guard();
    await rename(this.at(from), this.at(to));
    await this.handle.sync();
  }

  /** The path by which other calls reach something in this very folder, while it is open. */
  at(name: string): string {
    if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0"))
      throw new Error(`${JSON.stringify(name)} is not a valid file name.`);
    return `/proc/self/fd/${this.handle.fd}/${name}`;
  }

  private named(name: string): string {
    return path.join(this.path, name);
  }

  private async refusal(name: string, error: unknown, wanted: string): Promise<unknown> {
    if (!["ELOOP", "ENOTDIR", "ENXIO"].includes(errorCode(error) ?? "")) return error;
    const link = (await this.lstat(name).catch(() => undefined))?.isSymbolicLink() === true;
    return link
      ? new HostRefusal(
          "SymbolicLink",
          `${this.named(name)} is a symbolic link to ${await this.linkTarget(name).catch(() => "somewhere")}, which the agent does not follow: replace it with ${wanted}.`,
        )
      : new HostRefusal("NotAFolder", `${this.named(name)} is not ${wanted}: remove it from the node.`);
  }
}

async function own(handle: FileHandle, { uid, gid, mode }: Ownership): Promise<void> {
  await handle.chown(uid, gid);
  // After the owner: a change of owner drops bits of the mode.
  await handle.chmod(mode);
}
