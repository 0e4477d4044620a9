// Watches folders of the host for changes to managed files (inotify).
import { statSync, watch, type FSWatcher } from "node:fs";
import path from "node:path";
import { errorMessage, type Logger } from "../../runtime";

/** A folder of the host to watch, which names in it matter, and for which login. */
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
 * Notifies of changes to managed files, by inotify instead of polling. A watched name may be created, changed, moved or
 * removed; the folder itself may have been replaced, which {@link keep} finds out.
 */
export class FolderWatches {
  readonly #root: string;
  readonly #notify: (subject: string) => void;
  readonly #log: Logger;
  readonly #watched = new Map<string, Watched>();
  #warned = false;

  constructor(root: string, notify: (subject: string) => void, log: Logger) {
    this.#root = root;
    this.#notify = notify;
    this.#log = log;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Whether a folder could not be watched, so that the reconciler has to poll. */
  get incomplete(): boolean {
    return this.#warned;
  }

  /**
   * Watches these folders as they are now; one that does not exist is not watched. Returns whose folders are newly
   * watched: earlier changes to them went unnoticed.
   */
  keep(folders: readonly WatchedFolder[]): Set<string> {
    const begun = new Set<string>();
    for (const { folder, names, subject } of folders) {
      const absolute = path.join(this.#root, folder);
      const inode = inodeOf(absolute);
      const known = this.#watched.get(folder);
      if (known !== undefined && known.inode === inode) continue;
      this.#stop(folder);
      if (inode === undefined) continue;
      this.#start(folder, absolute, inode, names, subject);
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

  #start(folder: string, absolute: string, inode: number, names: readonly string[], subject: string): void {
    try {
      // A change of the folder itself comes under its own name.
      const self = path.basename(absolute);
      const watcher = watch(absolute, { persistent: false }, (_event, name) => {
        if (name === null || name === self || names.includes(name)) this.#notify(subject);
      });
      watcher.on("error", () => {
        this.#stop(folder);
        this.#notify(subject);
      });
      this.#watched.set(folder, { watcher, inode });
    } catch (error) {
      if (!this.#warned)
        this.#log.warn("Could not watch a folder; polling once a minute instead.", {
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

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
