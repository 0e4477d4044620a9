// Reads the files of an archive in memory; nothing is ever written to disk.
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { InstallError } from "./install-error";
import { MAX_BYTES, MAX_OBJECTS } from "./manifest";

/** The most bytes that a source may have after unzipping: a small file can expand to very many. */
const MAX_UNZIPPED = 2 * MAX_BYTES;
/** The most entries of an archive, folders and links included. */
const MAX_ENTRIES = 2 * MAX_OBJECTS;

/** A file out of an archive. */
export interface ArchivedFile {
  name: string;
  bytes: Buffer;
}

/** Unpacks what is gzipped, up to a limit. */
export function unzipped(bytes: Buffer, where: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNZIPPED });
  } catch {
    throw new InstallError(
      "SourceInvalid",
      `${where} is not valid gzip, or unpacks to more than ${MAX_UNZIPPED} bytes.`,
    );
  }
}

/** The regular files of a tar archive, sorted by name. Links, devices and folders are left out. */
export async function filesIn(tar: Buffer, where: string): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  const entries = extract();
  entries.end(tar);
  let count = 0;
  try {
    for await (const entry of entries) {
      count += 1;
      if (count > MAX_ENTRIES)
        throw new InstallError("SourceRefused", `${where} has more than ${MAX_ENTRIES} entries.`);
      const { name, type } = entry.header;
      if (type !== "file" && type !== "contiguous-file") {
        entry.resume();
        continue;
      }
      if (name.split("/").includes(".."))
        throw new InstallError(
          "SourceRefused",
          `${where} has the path ${JSON.stringify(name)}: remove "..".`,
        );
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      files.push({ name, bytes: Buffer.concat(chunks) });
    }
  } catch (error) {
    if (error instanceof InstallError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new InstallError("SourceInvalid", `${where} is not a complete tar archive: ${cause}.`, false, {
      cause: error,
    });
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
