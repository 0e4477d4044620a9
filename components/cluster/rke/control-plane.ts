import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { AddressRange } from "../network/address-range";
import { balancer, type BalancerTransforms } from "./load-balancer";
import { firewall, type Firewall, type FirewallTransforms } from "../network/security-groups";
import type { NetworkReference, SubnetReference } from "../network/network-reference";
import { portRules, PUBLIC_RULES, rkePortRules } from "../network/ports";
import { Distribution } from "./args";
import type { RkeClusterSettings } from "./schema";
import { StateVolume, type StateVolumeTransforms } from "./state-volume";
import { volumeSnapshots } from "./volume-snapshots";

/** Overrides for the control plane's children. */
export interface ControlPlaneTransforms
  extends FirewallTransforms, BalancerTransforms, StateVolumeTransforms {}

/** The parts of a cluster that stay while machines come and go. */
export interface ControlPlane {
  readonly firewall: Firewall;
  /** By the number of the server. */
  readonly states: readonly StateVolume[];
  /** Inside the network, and always there. */
  readonly loadBalancer: aws.lb.LoadBalancer;
  /** The name or address at which nodes register and use the API, inside the network. */
  readonly registration: pulumi.Output<string>;
  /** The name or address at which clients use the API. */
  readonly address: pulumi.Output<string>;
  /** All names and addresses that the API's certificate holds beside the nodes' own. */
  readonly names: pulumi.Output<string[]>;
}

/** The name of a member by its number. */
export function memberName(index: number): string {
  return `server-${index}`;
}

/** Makes security groups, state volumes and the load balancer. */
export function controlPlane(
  name: string,
  args: RkeClusterSettings,
  transform: ControlPlaneTransforms,
  parent: pulumi.Resource,
): ControlPlane {
  const { network, tags } = args;
  const isRke2 = args.distribution === Distribution.Rke2;
  const groups = firewall(
    name,
    {
      vpcId: network.vpcId,
      rules: [
        ...(isRke2
          ? portRules(args.podNetwork.cni, args.podNetwork.metricsPorts)
          : rkePortRules(args.login.port, args.podNetwork.metricsPorts)),
        ...(args.api.isPublic ? PUBLIC_RULES : []),
      ],
      apiCidrs: args.api.cidrs,
      sshCidrs: args.login.fromCidrs,
      sshPort: args.login.port,
      bastionGroupId: args.bastionGroupId,
      nodePortCidrs: args.podNetwork.nodePortCidrs,
      tags,
    },
    transform,
    parent,
  );
  const states = stateVolumes(name, args, groups, transform, parent);
  const common = { network, addresses: states.map(({ address }) => address), tags };
  const loadBalancer = balancer(
    name,
    {
      ...common,
      own: "api",
      group: groups.balancer,
      isPublic: false,
      ports: isRke2 ? { api: 6443, join: 9345 } : { api: 6443 },
    },
    transform,
    parent,
  );
  // Nodes never go through it: from outside they would come with the address of a NAT gateway, which no rule knows.
  const outside = args.api.isPublic
    ? balancer(
        name,
        {
          ...common,
          own: "ext",
          group: groups.public ?? groups.balancer,
          isPublic: true,
          ports: { ext: 6443 },
        },
        transform,
        parent,
      )
    : undefined;
  const registration = pulumi.output(
    outside === undefined ? (args.api.address ?? loadBalancer.dnsName) : loadBalancer.dnsName,
  );
  const address = pulumi.output(args.api.address ?? (outside ?? loadBalancer).dnsName);
  if (args.snapshotVolumes) volumeSnapshots(name, name, args.volumeSnapshots, tags, parent);
  return {
    firewall: groups,
    states,
    loadBalancer,
    registration,
    address,
    names: pulumi.all([registration, address]).apply((own) => [...new Set([...own, ...args.api.names])]),
  };
}

function stateVolumes(
  name: string,
  args: RkeClusterSettings,
  groups: Firewall,
  transform: StateVolumeTransforms,
  parent: pulumi.Resource,
): StateVolume[] {
  const { servers, tags } = args;
  return Array.from({ length: servers.count }, (_, index) => {
    const member = memberName(index);
    const { subnet, address } = serverLocation(args.network, index);
    const snapshotId = servers.volumeSnapshotIds[member];
    return new StateVolume(
      `${name}-${member}-state`,
      {
        cluster: name,
        member,
        zone: subnet.zone,
        subnetId: subnet.id,
        securityGroupIds: [groups.servers.id],
        size: servers.volumeSize,
        iops: servers.volumeIops,
        throughput: servers.volumeThroughput,
        retain: servers.retain,
        tags,
        ...(address === undefined ? {} : { address }),
        ...(servers.volumeKmsKeyId === undefined ? {} : { kmsKeyId: servers.volumeKmsKeyId }),
        ...(snapshotId === undefined ? {} : { snapshotId }),
        transform,
      },
      { parent },
    );
  });
}

/** The first addresses of a subnet that are given out; AWS keeps the ones before for itself. */
const FIRST_HOST = 10;

/**
 * Where a server lives: zone after zone, and in a subnet that is for servers only at an address that is known beforehand.
 * Elsewhere somebody else could already have it, so AWS chooses.
 */
export function serverLocation(
  network: NetworkReference,
  index: number,
): { subnet: SubnetReference; address: string | undefined } {
  const control = network.controlSubnets ?? [];
  const subnets = control.length > 0 ? control : network.privateSubnets;
  const subnet = subnets[index % subnets.length];
  if (subnet === undefined) throw new RangeError("the network has no subnets");
  const range = control.length > 0 && subnet.cidr !== undefined ? AddressRange.parse(subnet.cidr) : undefined;
  return { subnet, address: range?.host(FIRST_HOST + Math.floor(index / subnets.length)) };
}
