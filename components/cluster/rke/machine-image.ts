import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { partitionOf } from "../iam-policy";

/** Debian's own account on AWS, from its wiki's page on Amazon EC2 images. It has none that is known in other partitions. */
const DEBIAN: Readonly<Record<string, string>> = { aws: "136693071363" };

/** The account that the newest Debian is looked up in. */
export function debianOwner(partition: string): string {
  const owner = DEBIAN[partition];
  if (owner === undefined) {
    throw new Error(
      `Debian publishes no images in the partition ${partition} that this program knows: name one of yours in servers.imageId and in imageId of each pool.`,
    );
  }
  return owner;
}

/** The image that nodes run. */
export interface NodeImage {
  readonly id: pulumi.Input<string>;
  /** The name of its root disk: a disk under any other name would be a second one, and the first not encrypted. */
  readonly rootDevice: pulumi.Input<string>;
  /**
   * Properties that must not change by themselves. A look-up counts once, when a machine is first made, and is recorded
   * with it: a newer image of Debian never replaces a running node. An image that is named is followed.
   */
  readonly isPinned: boolean;
}

/** The image of a node: the one with the id, or Debian's with the name, or the newest Debian 12. */
export function nodeImage(
  imageId: pulumi.Input<string> | undefined,
  name: string | undefined,
  parent: pulumi.Resource,
): NodeImage {
  const found = aws.ec2.getAmiOutput(
    imageId === undefined
      ? {
          mostRecent: true,
          owners: [partitionOf(parent).apply(({ partition }) => debianOwner(partition))],
          filters: [
            { name: "name", values: [name ?? "debian-12-amd64-*"] },
            { name: "architecture", values: ["x86_64"] },
          ],
        }
      : { filters: [{ name: "image-id", values: [imageId] }] },
    { parent },
  );
  return {
    id: imageId ?? found.id,
    rootDevice: found.rootDeviceName,
    isPinned: imageId !== undefined || name !== undefined,
  };
}
