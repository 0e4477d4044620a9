import type { Problem } from "./problem";

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

const FORMS = {
  rke2: { lines: RKE2_VERSIONS, form: /^v(1\.\d+)\.\d+\+rke2r\d+$/, example: "v1.35.7+rke2r1" },
  rke: { lines: RKE_VERSIONS, form: /^v(1\.\d+)\.\d+-rancher\d+-\d+$/, example: "v1.30.14-rancher1-1" },
  hosted: { lines: EKS_VERSIONS, form: /^(1\.\d+)$/, example: "1.35" },
} as const;

/** What is wrong with a version. */
export function versionProblems(kind: keyof typeof FORMS, version: string): Problem[] {
  const { lines, form, example } = FORMS[kind];
  const minor = form.exec(version)?.[1];
  const known = lines.map(({ latest }) => latest).join(", ");
  if (minor === undefined) {
    return [
      `version is ${JSON.stringify(version)}, which is not how ${kind} writes one: use a version like ${example}.`,
    ];
  }
  return lines.some((line) => line.minor === minor)
    ? []
    : [
        `version is ${JSON.stringify(version)}, and ${minor} is not among the supported ones (of ${VERSIONS_CHECKED}): use one of these lines: ${known}.`,
      ];
}
