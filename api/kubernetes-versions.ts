// The Kubernetes versions that the product supports, by distribution, and how versions compare. Components check against these
// tables, and so do policies.

/** When the tables below were last compared with their sources. */
export const VERSIONS_CHECKED = "2026-11-16";

/** A line of versions that a distribution still mends. */
export interface VersionLine {
  /** The Kubernetes minor version. */
  readonly minor: string;
  /** The newest one when the table was written; any patch of the line may be asked for. */
  readonly latest: string;
}

/** RKE2, from its releases (github.com/rancher/rke2/releases, of August 2026). */
export const RKE2_VERSIONS: readonly VersionLine[] = [
  { minor: "1.36", latest: "v1.36.3+rke2r1" },
  { minor: "1.35", latest: "v1.35.7+rke2r1" },
  { minor: "1.34", latest: "v1.34.10+rke2r1" },
];

/**
 * RKE, from `rke config --list-version --all` of rke 1.8.6. RKE came to the end of its life on 2025-07-31; of these only
 * the images of 1.30 are free to pull.
 */
export const RKE_VERSIONS: readonly VersionLine[] = [
  { minor: "1.32", latest: "v1.32.7-rancher1-1" },
  { minor: "1.31", latest: "v1.31.11-rancher1-1" },
  { minor: "1.30", latest: "v1.30.14-rancher1-1" },
];

/**
 * EKS in standard support, from the user guide's page "Understand the Kubernetes version lifecycle on EKS" (14 months
 * from a version's release). A cluster has a minor version only.
 */
export const EKS_VERSIONS: readonly VersionLine[] = [
  { minor: "1.36", latest: "1.36" },
  { minor: "1.35", latest: "1.35" },
  { minor: "1.34", latest: "1.34" },
];

/** A Kubernetes version, taken apart. */
export interface Version {
  major: number;
  minor: number;
  patch: number;
}

/** Reads `v1.35.4+rke2r1`; undefined if it is no version. */
export function parseVersion(text: string): Version | undefined {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (found === null) return undefined;
  return { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3]) };
}

/** Negative if `a` is older than `b`. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
