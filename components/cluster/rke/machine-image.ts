import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";

/** Debian's own account on AWS, from its wiki's page on Amazon EC2 images. */
const DEBIAN = "136693071363";

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

/** The image of a node: the one that is named, or the newest Debian 12. */
export function nodeImage(imageId: pulumi.Input<string> | undefined, parent: pulumi.Resource): NodeImage {
  const found = aws.ec2.getAmiOutput(
    imageId === undefined
      ? {
          mostRecent: true,
          owners: [DEBIAN],
          filters: [
            { name: "name", values: ["debian-12-amd64-*"] },
            { name: "architecture", values: ["x86_64"] },
          ],
        }
      : { filters: [{ name: "image-id", values: [imageId] }] },
    { parent },
  );
  return {
    id: imageId ?? found.id,
    rootDevice: found.rootDeviceName,
    isPinned: imageId !== undefined,
  };
}
