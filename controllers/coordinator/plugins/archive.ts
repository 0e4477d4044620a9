import { gunzipSync } from "node:zlib";
import { MAX_BYTES } from "./manifest";
import { PluginError } from "./problem";

const BLOCK = 512;

/** A file out of an archive. */
export interface ArchivedFile {
  name: string;
  bytes: Buffer;
}

/** Unpacks what is gzipped, up to a bound: a few bytes can hold very many. */
export function unzipped(bytes: Buffer, where: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: 2 * MAX_BYTES });
  } catch {
    throw new PluginError(
      "SourceInvalid",
      `${where} cannot be unzipped, or holds more than ${2 * MAX_BYTES} bytes.`,
    );
  }
}

/** The regular files of a tar archive. Links, devices and folders are left out: nothing is ever written to a disk. */
export function filesIn(tar: Buffer, where: string): ArchivedFile[] {
  const files: ArchivedFile[] = [];
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const field = (from: number, to: number): string =>
      header.toString("utf8", from, to).split("\0")[0] ?? "";
    const octal = field(124, 136).trim();
    const size = Number.parseInt(octal, 8);
    const end = at + BLOCK + size;
    if (!/^[0-7]+$/.test(octal) || !isChecked(header) || end > tar.length)
      throw new PluginError("SourceInvalid", `${where} is not a whole tar archive.`);
    const type = field(156, 157);
    const prefix = field(257, 263).startsWith("ustar") ? field(345, 500) : "";
    const name = prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`;
    if (type === "" || type === "0") files.push({ name, bytes: tar.subarray(at + BLOCK, end) });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

// The sum is taken as if its own field were blanks.
function isChecked(header: Buffer): boolean {
  const wanted = Number.parseInt(header.toString("latin1", 148, 156), 8);
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK; index++) if (index < 148 || index >= 156) sum += header[index] ?? 0;
  return sum === wanted;
}
