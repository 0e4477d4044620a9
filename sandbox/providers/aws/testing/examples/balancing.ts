import type * as aws from "@pulumi/aws";
import type { ExampleDependencies } from "./example";
import { example } from "./example";

const balancer = async (fixture: ExampleDependencies): Promise<string> =>
  (
    await fixture.need("aws:lb/loadBalancer:LoadBalancer", "balancer", {
      internal: true,
      loadBalancerType: "network",
      subnets: [await fixture.subnet()],
    })
  ).id;

const targets = async (fixture: ExampleDependencies, name = "targets"): Promise<string> =>
  (
    await fixture.need("aws:lb/targetGroup:TargetGroup", name, {
      port: 6443,
      protocol: "TCP",
      vpcId: await fixture.vpc(),
    })
  ).id;

/** The types of load balancing. */
export const balancing = [
  example<aws.lb.LoadBalancerArgs>({
    token: "aws:lb/loadBalancer:LoadBalancer",
    inputs: async (fixture) => ({
      internal: true,
      loadBalancerType: "network",
      subnets: [await fixture.subnet()],
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      enableCrossZoneLoadBalancing: true,
      subnets: [await fixture.subnet(), await fixture.subnet(1)],
    }),
    replaces: async (fixture) => ({
      subnets: [await fixture.subnet(2)],
      securityGroups: [await fixture.group()],
    }),
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
    inputs: async (fixture) => ({
      port: 6443,
      protocol: "TCP",
      vpcId: await fixture.vpc(),
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
    inputs: async (fixture) => ({
      loadBalancerArn: await balancer(fixture),
      port: 6443,
      protocol: "TCP",
      defaultActions: [{ type: "forward", targetGroupArn: await targets(fixture) }],
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      port: 9345,
      defaultActions: [{ type: "forward", targetGroupArn: await targets(fixture, "other-targets") }],
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
    inputs: async (fixture) => ({
      targetGroupArn: await targets(fixture),
      targetId: await fixture.instance(),
      port: 6443,
    }),
    updates: () => ({}),
  }),
];
