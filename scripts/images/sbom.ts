// What an image consists of, as an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3).
import { BASE_RELEASE, type BasePackage } from "./base-packages";
import { sha256Of } from "./digest";
import type { BundledPackage } from "./npm-packages";
import type { Platform } from "./platforms";

/** The media type of the document. */
export const SBOM_TYPE = "application/spdx+json";

/** What a document is about. */
export interface Contents {
  /** `fleetwright-agent` */
  readonly name: string;
  readonly version: string;
  readonly platform: Platform;
  /** When the sources were last changed, in seconds. */
  readonly seconds: number;
  /** The digest of the image's manifest. */
  readonly imageDigest: string;
  readonly nodeVersion: string;
  readonly system: readonly BasePackage[];
  readonly bundled: readonly BundledPackage[];
}

interface SpdxPackage {
  readonly name: string;
  readonly versionInfo: string;
  readonly licenseDeclared: string;
  readonly locator: string;
  readonly sha256?: string;
}

/** The document as text; the same contents give the same bytes. */
export function spdxDocument(contents: Contents): string {
  const { name, version, platform, imageDigest } = contents;
  const image: SpdxPackage = {
    name,
    versionInfo: version,
    licenseDeclared: "Apache-2.0",
    locator: `pkg:oci/${name}@${encodeURIComponent(imageDigest)}?arch=${platform.architecture}`,
    sha256: imageDigest.replace("sha256:", ""),
  };
  const parts = [
    nodePackage(contents),
    ...contents.system.map(debianPackage),
    ...contents.bundled.map(npmPackage),
  ];
  const created = `${new Date(contents.seconds * 1000).toISOString().slice(0, 19)}Z`;
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${name}-${version}-${platform.architecture}`,
    // Unique, as the format asks, and no address: it follows from the image.
    documentNamespace: `https://fleetwright.dev/spdx/${name}-${sha256Of(imageDigest).slice(0, 32)}`,
    creationInfo: { created, creators: ["Tool: fleetwright-images"] },
    documentDescribes: [idOf(image)],
    packages: [image, ...parts].map(entryOf),
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: idOf(image) },
      ...parts.map((part) => ({
        spdxElementId: idOf(image),
        relationshipType: "CONTAINS",
        relatedSpdxElement: idOf(part),
      })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function nodePackage({ nodeVersion, platform }: Contents): SpdxPackage {
  return {
    name: `node-linux-${platform.node}`,
    versionInfo: nodeVersion,
    licenseDeclared: "MIT",
    locator: `pkg:npm/node-linux-${platform.node}@${nodeVersion}`,
  };
}

function debianPackage({ name, version, architecture, sha256 }: BasePackage): SpdxPackage {
  const about = `arch=${architecture}&distro=debian-${BASE_RELEASE.version}`;
  return {
    name,
    versionInfo: version,
    // Debian's copyright files, which are in the image, have no one word for it.
    licenseDeclared: "NOASSERTION",
    locator: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${about}`,
    sha256,
  };
}

function npmPackage({ name, version, license }: BundledPackage): SpdxPackage {
  return {
    name,
    versionInfo: version,
    licenseDeclared: license ?? "NOASSERTION",
    locator: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  };
}

function idOf({ name, versionInfo }: SpdxPackage): string {
  return `SPDXRef-Package-${`${name}-${versionInfo}`.replace(/[^A-Za-z0-9.-]/g, "-")}`;
}

function entryOf(part: SpdxPackage): object {
  const { name, versionInfo, licenseDeclared, locator, sha256 } = part;
  return {
    SPDXID: idOf(part),
    name,
    versionInfo,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared,
    copyrightText: "NOASSERTION",
    ...(sha256 === undefined ? {} : { checksums: [{ algorithm: "SHA256", checksumValue: sha256 }] }),
    externalRefs: [
      { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: locator },
    ],
  };
}
