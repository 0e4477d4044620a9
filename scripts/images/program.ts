import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { packNodeImage, type NodeImage } from "../../sandbox/machines/images";

/** A program of a cluster that becomes an image. */
export interface ProgramImage extends Pick<NodeImage, "user" | "nodeOptions"> {
  /** The image's full name with its tag. */
  name: string;
  /** The name of the program's file in `/app`. */
  main: string;
  /** Writes the program as one file. */
  bundle: (outfile: string) => Promise<void>;
}

/** Bundles a program and packs it with this machine's own Node, without a container engine. */
export async function packProgramImage(image: ProgramImage, archive: string): Promise<void> {
  const { bundle, ...rest } = image;
  const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-image-"));
  try {
    const source = path.join(work, image.main);
    await bundle(source);
    await packNodeImage({ ...rest, source }, archive);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
