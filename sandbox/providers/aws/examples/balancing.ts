import type * as aws from "@pulumi/aws";
import type { World } from "./example";
import { example } from "./example";

const balancer = async (world: World): Promise<string> =>
  (
    await world.need("aws:lb/loadBalancer:LoadBalancer", "balancer", {
      internal: true,
      loadBalancerType: "network",
      subnets: [await world.subnet()],
    })
  ).id;

const targets = async (world: World, name = "targets"): Promise<string> =>
  (
    await world.need("aws:lb/targetGroup:TargetGroup", name, {
      port: 6443,
      protocol: "TCP",
      vpcId: await world.vpc(),
    })
  ).id;

/** The types of load balancing. */
export const balancing = [
  example<aws.lb.LoadBalancerArgs>({
    token: "aws:lb/loadBalancer:LoadBalancer",
    inputs: async (world) => ({
      internal: true,
      loadBalancerType: "network",
      subnets: [await world.subnet()],
      tags: { Name: "example" },
    }),
    updates: async (world) => ({
      enableCrossZoneLoadBalancing: true,
      subnets: [await world.subnet(), await world.subnet(1)],
    }),
    replaces: async (world) => ({ subnets: [await world.subnet(2)], securityGroups: [await world.group()] }),
    fixed: {
      enableDeletionProtection: "would keep the example from being deleted",
      idleTimeout: "for application load balancers",
      ipAddressType: "needs IPv6",
      securityGroups: "replaces, see there",
      subnetMappings: "another way to say subnets",
    },
  }),
  example<aws.lb.TargetGroupArgs>({
    token: "aws:lb/targetGroup:TargetGroup",
    inputs: async (world) => ({
      port: 6443,
      protocol: "TCP",
      vpcId: await world.vpc(),
      healthCheck: { protocol: "TCP", interval: 10, healthyThreshold: 2, unhealthyThreshold: 2 },
      preserveClientIp: "false",
      tags: { Name: "example" },
    }),
    updates: () => ({
      connectionTermination: true,
      deregistrationDelay: 30,
      healthCheck: { protocol: "TCP", interval: 30, healthyThreshold: 3, unhealthyThreshold: 3 },
      preserveClientIp: "true",
      proxyProtocolV2: true,
      stickiness: { enabled: true, type: "source_ip" },
    }),
    fixed: { loadBalancingCrossZoneEnabled: "moto refuses it", slowStart: "for application load balancers" },
  }),
  example<aws.lb.ListenerArgs>({
    token: "aws:lb/listener:Listener",
    inputs: async (world) => ({
      loadBalancerArn: await balancer(world),
      port: 6443,
      protocol: "TCP",
      defaultActions: [{ type: "forward", targetGroupArn: await targets(world) }],
      tags: { Name: "example" },
    }),
    updates: async (world) => ({
      port: 9345,
      defaultActions: [{ type: "forward", targetGroupArn: await targets(world, "other-targets") }],
    }),
    fixed: {
      alpnPolicy: "for TLS",
      certificateArn: "for TLS",
      protocol: "TLS needs a certificate",
      sslPolicy: "for TLS",
      tcpIdleTimeoutSeconds: "moto lacks the call",
    },
  }),
  example<aws.lb.TargetGroupAttachmentArgs>({
    token: "aws:lb/targetGroupAttachment:TargetGroupAttachment",
    inputs: async (world) => ({
      targetGroupArn: await targets(world),
      targetId: await world.instance(),
      port: 6443,
    }),
    updates: () => ({}),
  }),
];
