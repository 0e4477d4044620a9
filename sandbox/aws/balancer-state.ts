import type { NetworkInterface, Subnet } from "@aws-sdk/client-ec2";
import {
  DescribeListenersCommand,
  DescribeLoadBalancersCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  type LoadBalancer,
  type TargetGroup,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import type { Clients } from "./clients";

/** A load balancer with everything that it forwards to. */
export interface BalancerState {
  arn: string;
  name: string;
  dnsName: string;
  type: string;
  scheme: string;
  vpcId: string;
  /** Where it listens, one address a subnet; with a public one where it faces the internet. */
  addresses: { subnetId: string; subnetCidr: string; zone: string; ip: string; publicIp?: string }[];
  listeners: { arn: string; protocol: string; port: number; targetGroupArns: string[] }[];
  /** The target groups of its listeners. */
  targetGroups: TargetGroupState[];
}

/** Where a listener forwards to, and how it finds out who is well. */
export interface TargetGroupState {
  arn: string;
  name: string;
  protocol: string;
  port: number;
  targetType: string;
  targets: { id: string; port: number; health: string; reason?: string }[];
  healthCheck: {
    enabled: boolean;
    protocol: string;
    /** A number or "traffic-port". */
    port: string;
    path?: string;
    matcher?: string;
    intervalSeconds: number;
    timeoutSeconds: number;
    healthyThreshold: number;
    unhealthyThreshold: number;
  };
}

/** Reads the load balancers; their addresses are those of the interfaces that they have in their subnets. */
export async function balancersOf(
  aws: Clients,
  interfaces: readonly NetworkInterface[],
  subnets: ReadonlyMap<string, Subnet>,
): Promise<BalancerState[]> {
  const [found, groups] = await Promise.all([
    aws.elb.send(new DescribeLoadBalancersCommand({})),
    aws.elb.send(new DescribeTargetGroupsCommand({})),
  ]);
  const balancers = found.LoadBalancers ?? [];
  if (balancers.length === 0) return [];
  const byArn = new Map<string, TargetGroupState>();
  for (const group of groups.TargetGroups ?? [])
    byArn.set(group.TargetGroupArn ?? "", await groupState(aws, group));
  return Promise.all(balancers.map((balancer) => balancerState(aws, balancer, byArn, interfaces, subnets)));
}

async function balancerState(
  aws: Clients,
  balancer: LoadBalancer,
  groups: ReadonlyMap<string, TargetGroupState>,
  interfaces: readonly NetworkInterface[],
  subnets: ReadonlyMap<string, Subnet>,
): Promise<BalancerState> {
  const arn = balancer.LoadBalancerArn ?? "";
  const answer = await aws.elb.send(new DescribeListenersCommand({ LoadBalancerArn: arn }));
  const listeners = (answer.Listeners ?? []).map((listener) => ({
    arn: listener.ListenerArn ?? "",
    protocol: listener.Protocol ?? "",
    port: listener.Port ?? 0,
    targetGroupArns: [
      ...new Set(
        (listener.DefaultActions ?? []).flatMap(({ TargetGroupArn, ForwardConfig }) => [
          ...(TargetGroupArn === undefined ? [] : [TargetGroupArn]),
          ...(ForwardConfig?.TargetGroups ?? []).flatMap((group) => group.TargetGroupArn ?? []),
        ]),
      ),
    ],
  }));
  const own = `ELB ${arn.split(":loadbalancer/")[1] ?? ""}`;
  return {
    arn,
    name: balancer.LoadBalancerName ?? "",
    dnsName: balancer.DNSName ?? "",
    type: balancer.Type ?? "",
    scheme: balancer.Scheme ?? "",
    vpcId: balancer.VpcId ?? "",
    addresses: interfaces
      .filter(({ Description }) => Description === own)
      .map(({ SubnetId, AvailabilityZone, PrivateIpAddress, Association }) => ({
        subnetId: SubnetId ?? "",
        subnetCidr: subnets.get(SubnetId ?? "")?.CidrBlock ?? "",
        zone: AvailabilityZone ?? "",
        ip: PrivateIpAddress ?? "",
        ...(Association?.PublicIp === undefined ? {} : { publicIp: Association.PublicIp }),
      })),
    listeners,
    targetGroups: [...new Set(listeners.flatMap(({ targetGroupArns }) => targetGroupArns))].flatMap(
      (group) => groups.get(group) ?? [],
    ),
  };
}

async function groupState(aws: Clients, group: TargetGroup): Promise<TargetGroupState> {
  const arn = group.TargetGroupArn ?? "";
  const health = await aws.elb.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn }));
  return {
    arn,
    name: group.TargetGroupName ?? "",
    protocol: group.Protocol ?? "",
    port: group.Port ?? 0,
    targetType: group.TargetType ?? "instance",
    targets: (health.TargetHealthDescriptions ?? []).map(({ Target, TargetHealth }) => ({
      id: Target?.Id ?? "",
      port: Target?.Port ?? group.Port ?? 0,
      health: TargetHealth?.State ?? "",
      ...(TargetHealth?.Reason === undefined ? {} : { reason: TargetHealth.Reason }),
    })),
    healthCheck: {
      enabled: group.HealthCheckEnabled ?? true,
      protocol: group.HealthCheckProtocol ?? "",
      port: group.HealthCheckPort ?? "traffic-port",
      ...(group.HealthCheckPath === undefined ? {} : { path: group.HealthCheckPath }),
      ...(group.Matcher?.HttpCode === undefined ? {} : { matcher: group.Matcher.HttpCode }),
      intervalSeconds: group.HealthCheckIntervalSeconds ?? 30,
      timeoutSeconds: group.HealthCheckTimeoutSeconds ?? 10,
      healthyThreshold: group.HealthyThresholdCount ?? 5,
      unhealthyThreshold: group.UnhealthyThresholdCount ?? 2,
    },
  };
}
