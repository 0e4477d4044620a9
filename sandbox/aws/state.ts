// Reads from the AWS API all that machines, volumes and networks have to follow.
import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeSnapshotsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  type Instance,
  type Subnet,
  type Tag,
} from "@aws-sdk/client-ec2";
import { GetInstanceProfileCommand } from "@aws-sdk/client-iam";
import { textAt } from "../../lib/json";
import type { Clients } from "./clients";
import { balancersOf, type BalancerState } from "./balancer-state";
import { routingOf, type RoutingState } from "./route-state";
import { securityGroupsOf, type SecurityGroupsState } from "./group-state";

/** An instance, with what a machine needs to become it. */
export interface InstanceState {
  id: string;
  state: string;
  imageId: string;
  type: string;
  zone: string;
  vpcId: string;
  subnetId: string;
  subnetCidr: string;
  privateIp: string;
  publicIp?: string;
  interfaces: InterfaceState[];
  keyName?: string;
  /** The public key of the key pair, in OpenSSH's form. */
  publicKey?: string;
  /** As it was given, base64 encoded. */
  userData?: string;
  tags: Record<string, string>;
  metadata: { httpEndpoint: string; httpTokens: string; hopLimit: number; instanceTags: boolean };
  instanceProfileArn?: string;
  /** The role of its profile. */
  roleName?: string;
  rootDevice: string;
  blockDevices: { device: string; volumeId: string; deleteOnTermination: boolean }[];
  launchedAt: string;
  /** What its auto scaling group wants it to be: `InService` or `Terminated`. */
  targetLifecycleState?: string;
}

/** A network interface of an instance. */
export interface InterfaceState {
  id: string;
  deviceIndex: number;
  macAddress: string;
  subnetId: string;
  privateIps: string[];
  securityGroups: string[];
}

/** A volume and where it is attached. */
export interface VolumeState {
  id: string;
  sizeGiB: number;
  type: string;
  zone: string;
  state: string;
  encrypted: boolean;
  snapshotId?: string;
  tags: Record<string, string>;
  attachments: { instanceId: string; device: string; state: string }[];
}

/** A copy of a volume. */
export interface SnapshotState {
  id: string;
  volumeId: string;
}

/** A group that keeps a number of instances alive. */
export interface GroupState {
  name: string;
  desired: number;
  instanceIds: string[];
  targetGroupArns: string[];
}

/** What exists at one point in time. */
export interface CloudState {
  instances: InstanceState[];
  volumes: VolumeState[];
  snapshots: SnapshotState[];
  balancers: BalancerState[];
  groups: GroupState[];
  security: SecurityGroupsState;
  routing: RoutingState;
}

/** Reads what exists. `readSecrets` asks moto's control API for user data and public keys, which no list call gives. */
export async function readState(aws: Clients, readSecrets: () => Promise<unknown>): Promise<CloudState> {
  const [reservations, subnets, volumes, snapshots, interfaces, groups] = await Promise.all([
    aws.ec2.send(new DescribeInstancesCommand({})),
    aws.ec2.send(new DescribeSubnetsCommand({})),
    aws.ec2.send(new DescribeVolumesCommand({})),
    aws.ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ["self"] })),
    aws.ec2.send(new DescribeNetworkInterfacesCommand({})),
    aws.autoscaling.send(new DescribeAutoScalingGroupsCommand({})),
  ]);
  const subnetById = new Map((subnets.Subnets ?? []).map((subnet) => [subnet.SubnetId ?? "", subnet]));
  const instances = (reservations.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
  const roles = await rolesOf(aws, instances);
  const targets = new Map(
    (groups.AutoScalingGroups ?? [])
      .flatMap(({ Instances }) => Instances ?? [])
      .map(({ InstanceId, LifecycleState }) => [InstanceId ?? "", targetOf(LifecycleState ?? "")]),
  );
  // After the instances: one that was started in between would seem to have no user data.
  const secrets = await readSecrets();
  const found = instances.map((instance) => ({
    ...instanceState(instance, subnetById, secrets),
    ...optional("roleName", roles.get(instance.IamInstanceProfile?.Arn ?? "")),
    ...optional("targetLifecycleState", targets.get(instance.InstanceId ?? "")),
  }));
  const balancers = await balancersOf(aws, interfaces.NetworkInterfaces ?? [], subnetById);
  return {
    instances: found,
    volumes: (volumes.Volumes ?? []).map((volume) => ({
      id: volume.VolumeId ?? "",
      sizeGiB: volume.Size ?? 0,
      type: volume.VolumeType ?? "",
      zone: volume.AvailabilityZone ?? "",
      state: volume.State ?? "",
      encrypted: volume.Encrypted ?? false,
      ...optional("snapshotId", volume.SnapshotId),
      tags: tagsOf(volume.Tags),
      attachments: (volume.Attachments ?? []).map(({ InstanceId, Device, State }) => ({
        instanceId: InstanceId ?? "",
        device: Device ?? "",
        state: State ?? "",
      })),
    })),
    snapshots: (snapshots.Snapshots ?? []).map(({ SnapshotId, VolumeId }) => ({
      id: SnapshotId ?? "",
      volumeId: VolumeId ?? "",
    })),
    balancers,
    groups: (groups.AutoScalingGroups ?? []).map((group) => ({
      name: group.AutoScalingGroupName ?? "",
      desired: group.DesiredCapacity ?? 0,
      instanceIds: (group.Instances ?? []).flatMap(({ InstanceId }) => InstanceId ?? []),
      targetGroupArns: group.TargetGroupARNs ?? [],
    })),
    security: await securityGroupsOf(aws, interfaces.NetworkInterfaces ?? []),
    routing: await routingOf(
      aws,
      [
        ...found.filter(({ state }) => state === "running"),
        ...balancers.flatMap(({ addresses }) =>
          addresses.map(({ ip, ...more }) => ({ ...more, privateIp: ip })),
        ),
      ],
      subnetById,
    ),
  };
}

async function rolesOf(aws: Clients, instances: readonly Instance[]): Promise<Map<string, string>> {
  const arns = new Set(instances.flatMap(({ IamInstanceProfile }) => IamInstanceProfile?.Arn ?? []));
  const roles = await Promise.all(
    [...arns].map(async (arn): Promise<[string, string] | undefined> => {
      const InstanceProfileName = arn.split("/").at(-1) ?? "";
      // A profile may be gone while an instance that was started with it still runs.
      const found = await aws.iam
        .send(new GetInstanceProfileCommand({ InstanceProfileName }))
        .catch(() => undefined);
      const role = found?.InstanceProfile?.Roles?.[0]?.RoleName;
      return role === undefined ? undefined : [arn, role];
    }),
  );
  return new Map(roles.filter((role) => role !== undefined));
}

function targetOf(lifecycleState: string): string {
  return lifecycleState.startsWith("Terminating") ? "Terminated" : "InService";
}

function instanceState(
  instance: Instance,
  subnets: ReadonlyMap<string, Subnet>,
  secrets: unknown,
): InstanceState {
  const id = instance.InstanceId ?? "";
  const subnetId = instance.SubnetId ?? "";
  const keyName = instance.KeyName;
  return {
    id,
    state: instance.State?.Name ?? "",
    imageId: instance.ImageId ?? "",
    type: instance.InstanceType ?? "",
    zone: instance.Placement?.AvailabilityZone ?? "",
    vpcId: instance.VpcId ?? "",
    subnetId,
    subnetCidr: subnets.get(subnetId)?.CidrBlock ?? "",
    privateIp: instance.PrivateIpAddress ?? "",
    ...optional("publicIp", instance.PublicIpAddress),
    interfaces: interfacesOf(instance),
    ...optional("keyName", keyName),
    ...optional("publicKey", keyName === undefined ? undefined : textAt(secrets, "keys", keyName)),
    ...optional("userData", textAt(secrets, "instances", id)),
    tags: tagsOf(instance.Tags),
    metadata: {
      httpEndpoint: instance.MetadataOptions?.HttpEndpoint ?? "enabled",
      httpTokens: instance.MetadataOptions?.HttpTokens ?? "optional",
      hopLimit: instance.MetadataOptions?.HttpPutResponseHopLimit ?? 1,
      instanceTags: instance.MetadataOptions?.InstanceMetadataTags === "enabled",
    },
    ...optional("instanceProfileArn", instance.IamInstanceProfile?.Arn),
    rootDevice: instance.RootDeviceName ?? "",
    blockDevices: (instance.BlockDeviceMappings ?? []).map(({ DeviceName, Ebs }) => ({
      device: DeviceName ?? "",
      volumeId: Ebs?.VolumeId ?? "",
      deleteOnTermination: Ebs?.DeleteOnTermination ?? false,
    })),
    launchedAt: instance.LaunchTime?.toISOString() ?? "",
  };
}

function interfacesOf(instance: Instance): InterfaceState[] {
  return (instance.NetworkInterfaces ?? []).map((found) => ({
    id: found.NetworkInterfaceId ?? "",
    deviceIndex: found.Attachment?.DeviceIndex ?? 0,
    macAddress: found.MacAddress ?? "",
    subnetId: found.SubnetId ?? "",
    privateIps: (found.PrivateIpAddresses ?? []).flatMap(({ PrivateIpAddress }) => PrivateIpAddress ?? []),
    securityGroups: (found.Groups ?? []).flatMap(({ GroupId }) => GroupId ?? []),
  }));
}

function tagsOf(tags: readonly Tag[] | undefined): Record<string, string> {
  return Object.fromEntries((tags ?? []).map(({ Key, Value }) => [Key ?? "", Value ?? ""]));
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  if (value !== undefined && value !== "") found[name] = value;
  return found;
}
