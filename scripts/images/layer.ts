// Layers of images: archives whose bytes follow from their files alone.
import { readFile } from "node:fs/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import { digestOf } from "./digest";

/** A file of a layer, by its path without a leading slash: its text, or where to read it. */
export type LayerFile = { readonly path: string; readonly mode?: number } & (
  { readonly content: string } | { readonly file: string } | { readonly folder: true }
);

/** A layer, compressed. */
export interface Layer {
  readonly content: Buffer;
  readonly digest: string;
  /** The digest of the archive before it is compressed. */
  readonly diffId: string;
}

/** Packs files, with the folders above them, in the order of their paths; all belong to root and have one time. */
export async function packLayer(files: readonly LayerFile[], seconds: number): Promise<Layer> {
  const archive = pack();
  const chunks: Buffer[] = [];
  const collected = (async (): Promise<void> => {
    for await (const chunk of archive) chunks.push(chunk as Buffer);
  })();
  const fixed = { mtime: new Date(seconds * 1000), uid: 0, gid: 0, uname: "", gname: "" };
  for (const entry of withFolders(files)) {
    if ("folder" in entry) {
      archive.entry({ ...fixed, name: `${entry.path}/`, type: "directory", mode: entry.mode ?? 0o755 });
      continue;
    }
    const content = "content" in entry ? Buffer.from(entry.content) : await readFile(entry.file);
    archive.entry({ ...fixed, name: entry.path, type: "file", mode: entry.mode ?? 0o644 }, content);
  }
  archive.finalize();
  await collected;
  const plain = Buffer.concat(chunks);
  const content = await compressed(plain);
  return { content, digest: digestOf(content), diffId: digestOf(plain) };
}

function withFolders(files: readonly LayerFile[]): LayerFile[] {
  const all = new Map<string, LayerFile>();
  for (const file of files) {
    const parts = file.path.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join("/");
      if (!all.has(folder)) all.set(folder, { path: folder, folder: true });
    }
    all.set(file.path, file);
  }
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** zlib writes no time and no name, so the same bytes come out; another release of Node may compress otherwise. */
async function compressed(plain: Buffer): Promise<Buffer> {
  const gzip = createGzip({ level: 6 });
  gzip.end(plain);
  const chunks: Buffer[] = [];
  for await (const chunk of gzip) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
