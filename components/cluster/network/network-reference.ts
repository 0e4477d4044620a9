import type * as pulumi from "@pulumi/pulumi";

/** A subnet as other components use it. */
export interface SubnetReference {
  id: pulumi.Input<string>;
  /** Its availability zone. */
  zone: pulumi.Input<string>;
  /** Its range. With it, servers get addresses that are known beforehand. @default AWS chooses the addresses */
  cidr?: string | undefined;
}

/** A network as other components use it: one that `Network` made, or one that exists. */
export interface NetworkReference {
  vpcId: pulumi.Input<string>;
  /** The range of the whole network. */
  cidr: pulumi.Input<string>;
  /** One for each zone; for nodes and load balancers. */
  privateSubnets: SubnetReference[];
  /** One for each zone. @default [] */
  publicSubnets?: SubnetReference[];
  /** One for each zone, for servers only. @default the private ones */
  controlSubnets?: SubnetReference[];
}
