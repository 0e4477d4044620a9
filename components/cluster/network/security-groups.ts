import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import type { PortRule, Side } from "./ports";
import { type Transform, transformed } from "../../transform";

/** Overrides for the security groups. */
export interface FirewallTransforms {
  securityGroup?: Transform<aws.ec2.SecurityGroupArgs>;
}

/** What a firewall lets through. */
export interface FirewallSettings {
  readonly vpcId: pulumi.Input<string>;
  /** Between the cluster's machines. */
  readonly rules: readonly PortRule[];
  /** Ranges that may use the API through the load balancer. */
  readonly apiCidrs: readonly pulumi.Input<string>[];
  /** Ranges from which nodes may be logged in to. */
  readonly sshCidrs: readonly pulumi.Input<string>[];
  readonly sshPort: number;
  /** A group that may log in to nodes and use the API as well. */
  readonly bastionGroupId: pulumi.Input<string> | undefined;
  /** Ranges that may use the ports of NodePort services. */
  readonly nodePortCidrs: readonly pulumi.Input<string>[];
  readonly tags: Readonly<Record<string, string>>;
}

/** Only some clusters have them. */
type OptionalSide = "public" | "runner";

/** The security groups of a cluster. */
export type Firewall = Readonly<Record<Exclude<Side, OptionalSide>, aws.ec2.SecurityGroup>> & {
  /** Only where a load balancer faces the internet. */
  readonly public?: aws.ec2.SecurityGroup;
  /** Only where a machine builds the cluster from outside. */
  readonly runner?: aws.ec2.SecurityGroup;
};

const PURPOSES: Readonly<Record<Side, string>> = {
  servers: "Servers of the cluster",
  agents: "Agents of the cluster",
  balancer: "Load balancer of the Kubernetes API",
  public: "Load balancer of the Kubernetes API that faces the internet",
  runner: "Builds the cluster",
};

const SIDES: readonly Side[] = ["servers", "agents", "balancer", "public", "runner"];

/** Makes the security groups and one ingress rule resource per port and source, so that each can be seen and changed by itself. */
export function firewall(
  name: string,
  settings: FirewallSettings,
  transform: FirewallTransforms,
  parent: pulumi.Resource,
): Firewall {
  const group = (side: Side): aws.ec2.SecurityGroup =>
    new aws.ec2.SecurityGroup(
      ...transformed<aws.ec2.SecurityGroupArgs>(
        transform.securityGroup,
        `${name}-${side}`,
        {
          vpcId: settings.vpcId,
          description: PURPOSES[side],
          tags: { ...settings.tags, Name: `${name}-${side}` },
        },
        { parent },
      ),
    );
  const has = (side: OptionalSide): boolean => settings.rules.some(({ from }) => from === side);
  const groups: Firewall = {
    servers: group("servers"),
    agents: group("agents"),
    balancer: group("balancer"),
    ...(has("public") ? { public: group("public") } : {}),
    ...(has("runner") ? { runner: group("runner") } : {}),
  };
  const sides = SIDES.filter((side) => groups[side] !== undefined);
  const id = (side: Side): pulumi.Output<string> => (groups[side] ?? groups.agents).id;
  const open = (
    own: string,
    to: Side,
    args: Omit<aws.vpc.SecurityGroupIngressRuleArgs, "securityGroupId">,
  ): void => {
    new aws.vpc.SecurityGroupIngressRule(
      `${name}-${to}-${own}`,
      { securityGroupId: id(to), ...args },
      { parent },
    );
  };
  for (const { to, from, protocol, first, last, why } of settings.rules) {
    open(`${protocol}-${first}-from-${from}`, to, {
      referencedSecurityGroupId: id(from),
      description: why,
      ipProtocol: protocol,
      fromPort: first,
      toPort: last,
    });
  }
  const outside = (
    own: string,
    to: Side,
    cidrs: readonly pulumi.Input<string>[],
    first: number,
    last: number,
    why: string,
  ): void =>
    cidrs.forEach((cidrIpv4, index) =>
      open(`${own}-${index}`, to, {
        cidrIpv4,
        description: why,
        ipProtocol: "tcp",
        fromPort: first,
        toPort: last,
      }),
    );
  for (const to of sides.filter((side) => side === "balancer" || side === "public"))
    outside("api", to, settings.apiCidrs, 6443, 6443, "Kubernetes API");
  for (const to of sides.filter((side) => side !== "balancer" && side !== "public")) {
    outside("ssh", to, settings.sshCidrs, settings.sshPort, settings.sshPort, "login");
    if (to !== "runner") outside("node-ports", to, settings.nodePortCidrs, 30000, 32767, "NodePort services");
  }
  if (settings.bastionGroupId !== undefined) {
    const referencedSecurityGroupId = settings.bastionGroupId;
    // What faces the internet it never comes to: it uses the API inside the network.
    for (const to of sides.filter((side) => side !== "public")) {
      const [own, port, description] =
        to === "balancer"
          ? ["api-from-bastion", 6443, "Kubernetes API through the bastion"]
          : (["ssh-from-bastion", settings.sshPort, "login through the bastion"] as const);
      open(own, to, {
        referencedSecurityGroupId,
        description,
        ipProtocol: "tcp",
        fromPort: port,
        toPort: port,
      });
    }
  }
  for (const from of sides) {
    new aws.vpc.SecurityGroupEgressRule(
      `${name}-${from}-out`,
      { securityGroupId: id(from), description: "everywhere", ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" },
      { parent },
    );
  }
  return groups;
}
