import { cp, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { cacheRoot, ensureTools, withLock } from "../../toolchain";
import { COREDNS_IMAGE } from "./coredns-name";
import { packImage } from "./oci-image";

/** The archive of CoreDNS' image: the program alone, which is static. Made on first use. */
export async function ensureCorednsImage(): Promise<string> {
  const { coredns } = await ensureTools(["coredns"]);
  // The folder of the tool names its recipe.
  const recipe = path.basename(path.dirname(coredns.path));
  const archive = path.join(cacheRoot(), "container-images", `coredns-${recipe}-${process.arch}.tar`);
  return withLock(path.join(cacheRoot(), "locks", "coredns-image.lock"), async () => {
    const made = await stat(archive).then(
      () => true,
      () => false,
    );
    if (made) return archive;
    const rootfs = await mkdtemp(path.join(os.tmpdir(), "fleetwright-coredns-"));
    try {
      await mkdir(path.join(rootfs, "etc/coredns"), { recursive: true });
      await cp(coredns.path, path.join(rootfs, "coredns"));
      await packImage(rootfs, { name: COREDNS_IMAGE, entrypoint: ["/coredns"] }, archive);
    } finally {
      await rm(rootfs, { recursive: true, force: true });
    }
    return archive;
  });
}
