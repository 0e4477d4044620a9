import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ensureImageNode } from "../../node-release";
import { run } from "../command";
import { copyInto, packImage } from "./oci-image";

/** An image that runs a program with Node. */
export interface NodeImage {
  /** The full name with its tag. */
  name: string;
  /** A file (a bundle) or a folder; it becomes `/app`. */
  source: string;
  /** The file to run, relative to `/app`. */
  main: string;
  /** Settings of Node itself, before the program. */
  nodeOptions?: readonly string[];
  /** More arguments. */
  args?: readonly string[];
  /** @default "65532:65532" */
  user?: string;
}

/** The libraries that `ldd` names for a program. */
export function parseLibraries(text: string): string[] {
  const paths = text.split("\n").flatMap((line) => /(?:=>\s*)?(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].sort();
}

/** Packs an image from the Node for images, the libraries of this machine that it needs, and a program. */
export async function packNodeImage(image: NodeImage, archive: string): Promise<void> {
  const rootfs = await mkdtemp(path.join(os.tmpdir(), "fleetwright-node-image-"));
  try {
    const { path: imageNode } = await ensureImageNode();
    const libraries = parseLibraries(await run(["ldd", imageNode]));
    await copyInto(rootfs, libraries);
    const node = path.join(rootfs, "usr/bin/node");
    await mkdir(path.dirname(node), { recursive: true });
    await cp(imageNode, node, { dereference: true });
    await copyInto(rootfs, ["/etc/ssl/certs/ca-certificates.crt"]).catch(() => {});
    await mkdir(path.join(rootfs, "tmp"), { mode: 0o1777 });
    const app = path.join(rootfs, "app");
    const isFolder =
      !image.source.endsWith(".js") && !image.source.endsWith(".cjs") && !image.source.endsWith(".mjs");
    await cp(image.source, isFolder ? app : path.join(app, image.main), {
      recursive: true,
      dereference: true,
    });
    const settings = {
      name: image.name,
      entrypoint: [
        "/usr/bin/node",
        ...(image.nodeOptions ?? []),
        `/app/${image.main}`,
        ...(image.args ?? []),
      ],
      env: { PATH: "/usr/bin", NODE_ENV: "production" },
      workingDir: "/app",
      user: image.user ?? "65532:65532",
    };
    await packImage(rootfs, settings, archive);
  } finally {
    await rm(rootfs, { recursive: true, force: true });
  }
}
