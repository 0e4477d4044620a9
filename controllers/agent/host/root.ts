// The host's root folder as it is mounted in the agent's pod, and the way to folders below it.
import { HostFolder, type HostGuard, type WriteListener } from "./folder";
import { HostRefusal } from "./refusal";

/** The root folder of the host as it is mounted for the agent. */
export class HostRoot {
  readonly #guard: HostGuard;
  readonly #onWrite: WriteListener;

  constructor(
    /** Where it is mounted. */
    readonly mountPath: string,
    guard: HostGuard = () => {},
    onWrite: WriteListener = () => {},
  ) {
    this.#guard = guard;
    this.#onWrite = onWrite;
  }

  /** Opens a folder of the host for some work, one name after another, following no link. */
  async inFolder<T>(folder: string, work: (folder: HostFolder) => Promise<T>): Promise<T> {
    const found = await this.ifFolder(folder, work);
    if (found === undefined)
      throw new HostRefusal("FolderMissing", `${folder} does not exist on the node, or is not mounted.`);
    return found.result;
  }

  /** As {@link inFolder}, but undefined if there is no such folder. */
  async ifFolder<T>(
    folder: string,
    work: (folder: HostFolder) => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    let here = await HostFolder.root(this.mountPath, this.#guard, this.#onWrite);
    try {
      for (const name of namesOf(folder)) {
        const next = await here.folder(name);
        if (next === undefined) return undefined;
        await here.close();
        here = next;
      }
      return { result: await work(here) };
    } finally {
      await here.close();
    }
  }

  /** As {@link inFolder}, but creates missing folders, accessible to root only. */
  async ensureFolder<T>(folder: string, work: (folder: HostFolder) => Promise<T>): Promise<T> {
    let here = await HostFolder.root(this.mountPath, this.#guard, this.#onWrite);
    try {
      for (const name of namesOf(folder)) {
        const next =
          (await here.folder(name)) ?? (await here.ensureFolder(name, { uid: 0, gid: 0, mode: 0o700 }));
        await here.close();
        here = next;
      }
      return await work(here);
    } finally {
      await here.close();
    }
  }
}

function namesOf(folder: string): string[] {
  return folder.split("/").filter((name) => name !== "");
}
