import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { listAt, parseJson, textAt } from "../../lib/json";

/** An npm package of which something is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json says it, in SPDX's words. */
  readonly license: string | undefined;
  /** The file of its license, where it has one. */
  readonly licenseFile: string | undefined;
}

/** The npm packages that the source files of a bundle belong to, each once, by name and version. */
export function bundledPackages(sources: readonly string[]): BundledPackage[] {
  const folders = new Set(
    sources.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  const found = [...folders].map((folder) => {
    const manifest = parseJson(readFileSync(path.join(folder, "package.json"), "utf8"));
    const license = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    return {
      name: textAt(manifest, "name") ?? path.basename(folder),
      version: textAt(manifest, "version") ?? "",
      license: textAt(manifest, "license") ?? textAt(listAt(manifest, "licenses"), 0, "type"),
      licenseFile: license === undefined ? undefined : path.join(folder, license),
    };
  });
  const byName = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** Where this checkout has the license under which our own programs stand. */
export const OWN_LICENSE = path.join(__dirname, "..", "..", "LICENSE");

/** The files of the licenses of what is in a bundle, by where an image has them. */
export function licenseFiles(packages: readonly BundledPackage[]): { path: string; file: string }[] {
  return [
    ...(existsSync(OWN_LICENSE) ? [{ path: "usr/share/doc/fleetwright/LICENSE", file: OWN_LICENSE }] : []),
    ...packages.flatMap(({ name, licenseFile }) =>
      licenseFile === undefined ? [] : [{ path: `usr/share/doc/npm/${name}/LICENSE`, file: licenseFile }],
    ),
  ];
}
