import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import type { NetworkReference } from "../network/network-reference";
import { type Transform, transformed } from "../../transform";

/** Overrides for the load balancer's children. */
export interface BalancerTransforms {
  loadBalancer?: Transform<aws.lb.LoadBalancerArgs>;
  targetGroup?: Transform<aws.lb.TargetGroupArgs>;
  listener?: Transform<aws.lb.ListenerArgs>;
}

/** What a load balancer stands in front of. */
export interface BalancerSettings {
  readonly network: NetworkReference;
  readonly group: aws.ec2.SecurityGroup;
  /** What it is called behind the cluster's name. */
  readonly own: string;
  /** Whether it can be reached from the internet; then it stands in the public subnets. */
  readonly isPublic: boolean;
  /** Ports and what they are, such as `{ api: 6443, join: 9345 }`. */
  readonly ports: Readonly<Record<string, number>>;
  /** The fixed addresses behind it. */
  readonly addresses: readonly pulumi.Input<string>[];
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * A network load balancer that hands TCP through to fixed addresses, so that client certificates reach the API. Targets are
 * addresses and not instances: a replaced server is the same target, and with the client's address not kept a server that
 * is sent to itself gets an answer. A server that is down is taken out by the TCP check; RKE2's API gives no answer worth
 * more to somebody who is not logged in.
 */
export function balancer(
  name: string,
  settings: BalancerSettings,
  transform: BalancerTransforms,
  parent: pulumi.Resource,
): aws.lb.LoadBalancer {
  const { network, isPublic, tags } = settings;
  const subnets = isPublic ? (network.publicSubnets ?? []) : network.privateSubnets;
  const lb = new aws.lb.LoadBalancer(
    ...transformed<aws.lb.LoadBalancerArgs>(
      transform.loadBalancer,
      `${name}-${settings.own}`,
      {
        loadBalancerType: "network",
        internal: !isPublic,
        subnets: subnets.map(({ id }) => id),
        securityGroups: [settings.group.id],
        enableCrossZoneLoadBalancing: true,
        tags: { ...tags },
      },
      { parent },
    ),
  );
  for (const [own, port] of Object.entries(settings.ports)) {
    const targets = new aws.lb.TargetGroup(
      ...transformed<aws.lb.TargetGroupArgs>(
        transform.targetGroup,
        `${name}-${own}`,
        {
          port,
          protocol: "TCP",
          targetType: "ip",
          vpcId: network.vpcId,
          preserveClientIp: "false",
          deregistrationDelay: 30,
          healthCheck: { protocol: "TCP", interval: 10, healthyThreshold: 2, unhealthyThreshold: 2 },
          tags: { ...tags },
        },
        { parent },
      ),
    );
    new aws.lb.Listener(
      ...transformed<aws.lb.ListenerArgs>(
        transform.listener,
        `${name}-${own}`,
        {
          loadBalancerArn: lb.arn,
          port,
          protocol: "TCP",
          defaultActions: [{ type: "forward", targetGroupArn: targets.arn }],
          tags: { ...tags },
        },
        { parent },
      ),
    );
    settings.addresses.forEach((targetId, index) => {
      new aws.lb.TargetGroupAttachment(
        `${name}-${own}-${index}`,
        { targetGroupArn: targets.arn, targetId, port },
        { parent },
      );
    });
  }
  return lb;
}
