import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { partitionOf } from "../iam-policy";

/** Debian's own account on AWS, from its wiki's page on Amazon EC2 images. It has none that is known in other partitions. */
const DEBIAN: Readonly<Record<string, string>> = { aws: "136693071363" };

/** The account that the newest Debian is looked up in, if there is one that is known. */
export function debianOwner(partition: string): string | undefined {
  return DEBIAN[partition];
}

/**
 * Refuses a region without Debian's images as soon as its name says so: an error within an argument of a look-up comes wrapped, and once
 * for each node. A region that only a provider of one's own names is refused when its partition is known.
 */
function refuseWithoutDebian(resource: pulumi.Resource): void {
  const region = aws.config.region ?? "";
  const partition = region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
  if (debianOwner(partition) === undefined) throw withoutDebian(partition, resource);
}

function withoutDebian(partition: string, resource: pulumi.Resource): pulumi.ResourceError {
  return new pulumi.ResourceError(
    `Debian publishes no images in the partition ${partition} that this program knows: name one of yours in ` +
      "cluster.selfManaged.servers.imageId, in imageId of each pool, and in cluster.network.bastion.imageId if there is a bastion",
    resource,
    true,
  );
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
  if (imageId === undefined) refuseWithoutDebian(parent);
  const found = aws.ec2.getAmiOutput(
    imageId === undefined
      ? {
          mostRecent: true,
          owners: [
            partitionOf(parent).apply(({ partition }) => {
              const owner = debianOwner(partition);
              if (owner === undefined) throw withoutDebian(partition, parent);
              return owner;
            }),
          ],
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
