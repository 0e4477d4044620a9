import { readFileSync } from "node:fs";
import path from "node:path";
import { textAt } from "../../../../lib/json";

/** What the stand-in is called wherever it names itself. */
export const STAND_IN = "Fleetwright's sandbox stand-in for RKE2";

/** The release that this program belongs to. */
export interface Release {
  /** Such as `v1.35.4+rke2r1`. */
  version: string;
  /** Where the machine's image holds the programs and container images of this release. */
  runtime: string;
}

/** Reads what lies beside the program. */
export function ownRelease(folder: string = __dirname): Release {
  const value: unknown = JSON.parse(readFileSync(path.join(folder, "release.json"), "utf8"));
  return { version: textAt(value, "version") ?? "unknown", runtime: textAt(value, "runtime") ?? "" };
}

/** What `rke2 --version` prints. */
export function versionText(release: Release): string {
  return `rke2 version ${release.version} (${STAND_IN}; it is not RKE2)\nnode version ${process.version}\n`;
}
