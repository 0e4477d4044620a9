// The layer that our images share: Node, the libraries that it is linked with, and the authorities that it may trust.
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { BASE_RELEASE, type BasePackage } from "./base-packages";
import type { LayerFile } from "./layer";
import type { Platform } from "./platforms";

const LIBRARIES = [
  "libc.so.6",
  "libdl.so.2",
  "libm.so.6",
  "libpthread.so.0",
  "libstdc++.so.6",
  "libgcc_s.so.1",
  "libatomic.so.1",
];

/** The files of the shared layer for one processor. */
export async function baseFiles(
  platform: Platform,
  packages: readonly BasePackage[],
  node: string,
): Promise<LayerFile[]> {
  const { triplet, interpreter } = platform;
  const find = async (name: string): Promise<string> => {
    for (const { root } of packages)
      for (const folder of ["lib", "usr/lib"]) {
        const found = await realpath(path.join(root, folder, triplet, name)).catch(() => undefined);
        if (found !== undefined) return found;
      }
    throw new Error(`None of ${packages.map((one) => one.name).join(", ")} holds ${name} for ${triplet}.`);
  };
  return [
    { path: interpreter, file: await find(path.basename(interpreter)), mode: 0o755 },
    ...(await Promise.all(
      LIBRARIES.map(async (name) => ({ path: `lib/${triplet}/${name}`, file: await find(name) })),
    )),
    { path: "usr/bin/node", file: node, mode: 0o755 },
    { path: "usr/share/doc/node/LICENSE", file: path.join(path.dirname(node), "..", "LICENSE") },
    ...(await authorities(packages)),
    ...(await documents(packages)),
    { path: "tmp", folder: true, mode: 0o1777 },
  ];
}

/** The certificates as one file, as Debian's own program would write it. */
async function authorities(packages: readonly BasePackage[]): Promise<LayerFile[]> {
  const root = packages.find(({ name }) => name === "ca-certificates")?.root ?? "";
  const folder = path.join(root, "usr/share/ca-certificates/mozilla");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".crt")).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return [
    {
      path: "etc/ssl/certs/ca-certificates.crt",
      content: texts.map((text) => `${text.trimEnd()}\n`).join(""),
    },
  ];
}

/** Licenses, and what scanners of images read to know the packages. */
async function documents(packages: readonly BasePackage[]): Promise<LayerFile[]> {
  const { codename, version } = BASE_RELEASE;
  const licences = packages.map(({ name, root }) => ({
    path: `usr/share/doc/${name}/copyright`,
    file: path.join(root, "usr/share/doc", name, "copyright"),
  }));
  const present = await Promise.all(licences.map(({ file }) => stat(file).catch(() => undefined)));
  return [
    ...licences.filter((_, index) => present[index] !== undefined),
    ...packages.map(({ name, control }) => ({ path: `var/lib/dpkg/status.d/${name}`, content: control })),
    {
      path: "etc/os-release",
      content: `PRETTY_NAME="Debian GNU/Linux ${version} (${codename})"\nNAME="Debian GNU/Linux"\nVERSION_ID="${version}"\nVERSION_CODENAME=${codename}\nID=debian\n`,
    },
  ];
}
