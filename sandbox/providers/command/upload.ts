import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { SFTPWrapper } from "ssh2";
import { errorMessage } from "../../../lib/failure";
import type { Context } from "../shell/context";
import { address, type Connection, endpoint } from "./connection";
import { withMachine } from "./dial";

/** The file system of another machine, as far as copying needs it. */
export interface RemoteFiles {
  /** What is at a path: a folder, something else, or nothing. */
  kind(remote: string): Promise<"folder" | "file" | "nothing">;
  makeFolder(remote: string): Promise<void>;
  put(local: string, remote: string): Promise<void>;
  write(text: string, remote: string): Promise<void>;
}

const NO_SUCH_FILE = 2;

/** Gives the files of another machine to work with. */
export async function withFiles<T>(
  context: Context,
  connection: Connection,
  use: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  return withMachine(context, connection, async (client) => {
    const hangUp = (): void => void client.destroy();
    context.signal.addEventListener("abort", hangUp, { once: true });
    try {
      const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
        client.once("close", () => reject(new Error("the connection was lost")));
        client.sftp((error, opened) => (error === undefined ? resolve(opened) : reject(error)));
      });
      // Whoever waits for an answer sees it there or in the loss of the connection.
      sftp.on("error", () => {});
      return await Promise.race([use(remoteFiles(sftp)), lost(client)]);
    } catch (error) {
      context.signal.throwIfAborted();
      throw new Error(`Copying to ${address(endpoint(connection))} failed: ${errorMessage(error)}`, {
        cause: error,
      });
    } finally {
      context.signal.removeEventListener("abort", hangUp);
    }
  });
}

/**
 * Copies a file or folder. A folder goes into the remote folder under its own name, or, with a slash at its end, its
 * content does; a file goes into a remote folder under its own name, or to the remote path itself.
 */
export async function uploadPath(files: RemoteFiles, local: string, remote: string): Promise<void> {
  const found = await files.kind(remote);
  if ((await stat(local)).isDirectory()) {
    if (found === "file") throw new Error(`${remote} is a file, but ${local} is a folder`);
    await makeFolders(files, remote);
    await uploadFolder(
      files,
      local,
      local.endsWith("/") ? remote : path.posix.join(remote, path.basename(local)),
    );
    return;
  }
  if (found === "nothing") await makeFolders(files, path.posix.dirname(remote));
  await files.put(local, found === "folder" ? path.posix.join(remote, path.basename(local)) : remote);
}

/** Writes a text into a file. */
export async function uploadText(files: RemoteFiles, text: string, remote: string): Promise<void> {
  const found = await files.kind(remote);
  if (found === "folder")
    throw new Error(`${remote} is a folder: remotePath must be the path of a file for a StringAsset`);
  if (found === "nothing") await makeFolders(files, path.posix.dirname(remote));
  await files.write(text, remote);
}

async function uploadFolder(files: RemoteFiles, local: string, remote: string): Promise<void> {
  await makeFolders(files, remote);
  for (const entry of await readdir(local, { withFileTypes: true })) {
    const from = path.join(local, entry.name);
    const to = path.posix.join(remote, entry.name);
    if (entry.isDirectory()) await uploadFolder(files, from, to);
    else await files.put(from, to);
  }
}

async function makeFolders(files: RemoteFiles, remote: string): Promise<void> {
  const found = await files.kind(remote);
  if (found === "folder") return;
  if (found === "file") throw new Error(`${remote} exists but is not a folder`);
  await makeFolders(files, path.posix.dirname(remote));
  await files.makeFolder(remote);
}

function remoteFiles(sftp: SFTPWrapper): RemoteFiles {
  const done = (what: string, act: (callback: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      act((error) => {
        if (error === undefined || error === null) resolve();
        else reject(new Error(`${what}: ${error.message}`, { cause: error }));
      });
    });
  return {
    kind: (remote) =>
      new Promise((resolve, reject) => {
        sftp.stat(remote, (error, stats) => {
          if (error === undefined) resolve(stats.isDirectory() ? "folder" : "file");
          else if ("code" in error && error.code === NO_SUCH_FILE) resolve("nothing");
          else reject(new Error(`${remote}: ${error.message}`, { cause: error }));
        });
      }),
    makeFolder: (remote) => done(`making the folder ${remote}`, (callback) => sftp.mkdir(remote, callback)),
    put: (local, remote) =>
      done(`${local} to ${remote}`, (callback) => sftp.fastPut(local, remote, callback)),
    write: (text, remote) => done(remote, (callback) => sftp.writeFile(remote, text, callback)),
  };
}

function lost(client: { once(event: "close", listener: () => void): unknown }): Promise<never> {
  return new Promise((_, reject) => client.once("close", () => reject(new Error("the connection was lost"))));
}
