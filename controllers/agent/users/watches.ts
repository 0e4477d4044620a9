import { statSync, watch, type FSWatcher } from "node:fs";
import path from "node:path";
import { errorMessage, type Logger } from "../../runtime";

/** A folder of the host to watch, and whose business a name in it is. */
export interface WatchedFolder {
  folder: string;
  names: readonly string[];
  subject: string;
}

interface Watched {
  watcher: FSWatcher;
  inode: number;
}

/**
 * Tells whose files were touched, by the kernel's notices and not by looking. A name that is watched in a folder may be
 * made, changed, moved or removed; the folder itself may be another one by now, which {@link keep} finds out.
 */
export class FolderWatches {
  readonly #root: string;
  readonly #tell: (subject: string) => void;
  readonly #log: Logger;
  readonly #watched = new Map<string, Watched>();
  #warned = false;

  constructor(root: string, tell: (subject: string) => void, log: Logger) {
    this.#root = root;
    this.#tell = tell;
    this.#log = log;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Whether a folder could not be watched, so that somebody has to look now and then. */
  get incomplete(): boolean {
    return this.#warned;
  }

  /**
   * Watches these folders, each as it stands now; one that is not there is not watched. Gives whose folders are watched
   * from now on: what happened to them before nobody has told.
   */
  keep(folders: readonly WatchedFolder[]): Set<string> {
    const begun = new Set<string>();
    for (const { folder, names, subject } of folders) {
      const place = path.join(this.#root, folder);
      const inode = inodeOf(place);
      const known = this.#watched.get(folder);
      if (known !== undefined && known.inode === inode) continue;
      this.#stop(folder);
      if (inode === undefined) continue;
      this.#start(folder, place, inode, names, subject);
      begun.add(subject);
    }
    return begun;
  }

  /** Stops watching a folder. */
  drop(folder: string): void {
    this.#stop(folder);
  }

  close(): void {
    for (const folder of [...this.#watched.keys()]) this.#stop(folder);
  }

  #start(folder: string, place: string, inode: number, names: readonly string[], subject: string): void {
    try {
      // A change of the folder itself comes under its own name.
      const self = path.basename(place);
      const watcher = watch(place, { persistent: false }, (_event, name) => {
        if (name === null || name === self || names.includes(name)) this.#tell(subject);
      });
      watcher.on("error", () => {
        this.#stop(folder);
        this.#tell(subject);
      });
      this.#watched.set(folder, { watcher, inode });
    } catch (error) {
      if (!this.#warned)
        this.#log.warn("A folder cannot be watched; it is looked at once a minute instead.", {
          folder,
          cause: errorMessage(error),
          fix: "raise fs.inotify.max_user_watches on the node",
        });
      this.#warned = true;
    }
  }

  #stop(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}

function inodeOf(place: string): number | undefined {
  return statSync(place, { throwIfNoEntry: false })?.ino;
}
