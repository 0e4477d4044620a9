// The add-ons that the sandbox knows, and their versions for each version of Kubernetes.
import type { Fields } from "./store";

/** The minor versions of clusters for which there are add-ons. */
const MINORS = [29, 30, 31, 32, 33, 34, 35, 36];

const same =
  (...versions: string[]) =>
  (): string[] =>
    versions;

/** The versions of an add-on for a minor version of Kubernetes, newest first. */
const OFFERED: Readonly<Record<string, (minor: number) => readonly string[]>> = {
  "vpc-cni": same("v1.20.4-eksbuild.1", "v1.20.3-eksbuild.1"),
  coredns: (minor) =>
    minor < 33
      ? ["v1.11.4-eksbuild.2", "v1.11.3-eksbuild.1"]
      : minor < 35
        ? ["v1.12.4-eksbuild.1", "v1.12.3-eksbuild.1"]
        : ["v1.13.2-eksbuild.1", "v1.12.4-eksbuild.1"],
  "kube-proxy": (minor) => [`v1.${minor}.3-eksbuild.2`, `v1.${minor}.0-eksbuild.2`],
  "eks-pod-identity-agent": same("v1.3.9-eksbuild.1", "v1.3.8-eksbuild.2"),
  "aws-ebs-csi-driver": same("v1.50.1-eksbuild.1", "v1.49.0-eksbuild.1"),
};

/** The versions of an add-on for a cluster's version, newest first; undefined where nobody knows the add-on. */
export function versionsFor(addon: string, clusterVersion: string): readonly string[] | undefined {
  const minor = Number(clusterVersion.split(".")[1]);
  return Object.hasOwn(OFFERED, addon) && Number.isInteger(minor) ? OFFERED[addon]?.(minor) : undefined;
}

/** The version that a cluster gets where nobody names one: as with AWS, not the newest. */
export function defaultVersion(addon: string, clusterVersion: string): string {
  return versionsFor(addon, clusterVersion)?.at(-1) ?? "";
}

/** What DescribeAddonVersions answers. */
export function supportedAddons(addon: string | undefined, clusterVersion: string | undefined): Fields[] {
  const minors = MINORS.filter((minor) => clusterVersion === undefined || clusterVersion === `1.${minor}`);
  return Object.keys(OFFERED)
    .filter((name) => addon === undefined || name === addon)
    .map((addonName) => ({
      addonName,
      type: addonName === "aws-ebs-csi-driver" ? "storage" : "networking",
      owner: "aws",
      publisher: "eks",
      addonVersions: addonVersions(addonName, minors),
    }))
    .filter(({ addonVersions: versions }) => versions.length > 0);
}

function addonVersions(name: string, minors: readonly number[]): Fields[] {
  const versions = [...minors].reverse().flatMap((minor) => versionsFor(name, `1.${minor}`) ?? []);
  return [...new Set(versions)].map((addonVersion) => ({
    addonVersion,
    architecture: ["amd64", "arm64"],
    compatibilities: minors
      .map((minor) => `1.${minor}`)
      .filter((version) => versionsFor(name, version)?.includes(addonVersion) === true)
      .map((version) => ({
        clusterVersion: version,
        platformVersions: ["*"],
        defaultVersion: defaultVersion(name, version) === addonVersion,
      })),
  }));
}
