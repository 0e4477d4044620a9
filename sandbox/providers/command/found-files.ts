import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { assetArchive, fileAsset, type WireAsset } from "../shell/wire";
import { select } from "./glob";

/** The files below a folder that rules choose, as assets by their path from it. */
export async function findAssets(dir: string, rules: readonly string[]): Promise<Record<string, WireAsset>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .sort();
  const assets: Record<string, WireAsset> = {};
  for (const file of select(files, rules)) {
    const path = join(dir, file);
    assets[file] = fileAsset(path, await hashOf(path));
  }
  return assets;
}

/** The files below a folder that rules choose, as one archive. */
export async function findArchive(dir: string, rules: readonly string[]): Promise<WireAsset> {
  const assets = await findAssets(dir, rules);
  const listing = Object.entries(assets).map(([path, { hash }]) => `${path}\0${hash ?? ""}\0`);
  return assetArchive(assets, createHash("sha256").update(listing.join("")).digest("hex"));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
