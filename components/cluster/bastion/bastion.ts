// The component of a bastion: a small machine in a public subnet, which forwards connections and does nothing else.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { transformed, withoutTransform } from "../../transform";
import type { NetworkReference } from "../network/network-reference";
import type { ProxyArgs } from "../rke/login-args";
import { nodeImage } from "../rke/machine-image";
import type { BastionTransforms } from "./args";
import type { BastionSettings } from "./schema";
import { BASTION_USER, bastionUserData } from "./user-data";

/** The arguments of `Bastion`. */
export interface BastionComponentArgs {
  network: NetworkReference;
  settings: BastionSettings;
  /** The public half of the key that logs in. */
  publicKey: pulumi.Input<string>;
  /** What it forwards to, inside the network only. */
  ports: number[];
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: BastionTransforms;
}

/** Where a machine that is made from a new image gets security updates from. */
const UPDATES = [80, 443];

/**
 * A bastion. It has an address that stays, a host key that is known before it is first dialed, no role in AWS, and a security
 * group that lets the named ranges in by SSH, and out only to the given ports of the network and to Debian's updates.
 */
export class Bastion extends pulumi.ComponentResource {
  /** Its public address. */
  readonly address: pulumi.Output<string>;
  readonly hostKey: pulumi.Output<string>;
  readonly securityGroupId: pulumi.Output<string>;
  readonly user = BASTION_USER;
  /** As the logins of nodes take it. */
  readonly proxy: ProxyArgs;

  constructor(name: string, args: BastionComponentArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:Bastion", name, withoutTransform(args), opts);
    const tags = { ...args.tags, Name: name };
    const { network, settings, transform = {} } = args;
    const key = new tls.PrivateKey(
      `${name}-host-key`,
      { algorithm: "ED25519" },
      { parent: this, additionalSecretOutputs: ["privateKeyOpenssh", "privateKeyPem", "privateKeyPemPkcs8"] },
    );
    this.hostKey = key.publicKeyOpenssh.apply((text) => text.trim());
    const group = this.#group(name, args, tags);
    this.securityGroupId = group.id;
    const image = nodeImage(settings.imageId, undefined, this);
    const subnet = network.publicSubnets?.[0];
    if (subnet === undefined) throw new RangeError("the network has no public subnets");
    const userData = pulumi
      .all([args.publicKey, key.privateKeyOpenssh, this.hostKey])
      .apply(([publicKey, privateKey, hostKey]) =>
        bastionUserData(publicKey, { privateKey, publicKey: hostKey }, args.ports),
      );
    const instance = new aws.ec2.Instance(
      ...transformed<aws.ec2.InstanceArgs>(
        transform.instance,
        `${name}-instance`,
        {
          ami: image.id,
          instanceType: settings.instanceType,
          subnetId: subnet.id,
          vpcSecurityGroupIds: [group.id],
          metadataOptions: {
            httpEndpoint: "enabled",
            httpTokens: "required",
            httpPutResponseHopLimit: 1,
            instanceMetadataTags: "disabled",
          },
          rootBlockDevice: { encrypted: true, volumeType: "gp3", volumeSize: 8, deleteOnTermination: true },
          userData: pulumi.secret(userData),
          userDataReplaceOnChange: true,
          tags,
        },
        { parent: this, ignoreChanges: image.isPinned ? [] : ["ami"] },
      ),
    );
    const address = new aws.ec2.Eip(
      ...transformed<aws.ec2.EipArgs>(
        transform.address,
        `${name}-address`,
        { domain: "vpc", instance: instance.id, tags },
        { parent: this },
      ),
    );
    this.address = address.publicIp;
    this.proxy = { host: this.address, hostKey: this.hostKey, user: this.user };
    this.registerOutputs({
      address: this.address,
      hostKey: this.hostKey,
      securityGroupId: this.securityGroupId,
    });
  }

  #group(name: string, args: BastionComponentArgs, tags: Record<string, string>): aws.ec2.SecurityGroup {
    const parent = { parent: this };
    const group = new aws.ec2.SecurityGroup(
      ...transformed<aws.ec2.SecurityGroupArgs>(
        args.transform?.securityGroup,
        name,
        { vpcId: args.network.vpcId, description: "Bastion of the cluster", tags },
        parent,
      ),
    );
    args.settings.from.forEach((cidrIpv4, index) => {
      new aws.vpc.SecurityGroupIngressRule(
        `${name}-ssh-${index}`,
        {
          securityGroupId: group.id,
          description: "login",
          ipProtocol: "tcp",
          fromPort: 22,
          toPort: 22,
          cidrIpv4,
        },
        parent,
      );
    });
    const out = (own: string, port: number, cidrIpv4: pulumi.Input<string>, description: string): void => {
      new aws.vpc.SecurityGroupEgressRule(
        `${name}-${own}-${port}`,
        { securityGroupId: group.id, description, ipProtocol: "tcp", fromPort: port, toPort: port, cidrIpv4 },
        parent,
      );
    };
    for (const port of args.ports) out("to", port, args.network.cidr, "nodes and the Kubernetes API");
    for (const port of UPDATES) out("updates", port, "0.0.0.0/0", "security updates");
    return group;
  }
}
