import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  AttachInternetGatewayCommand,
  AttachNetworkInterfaceCommand,
  AttachVolumeCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateNetworkInterfaceCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  DeleteNetworkInterfaceCommand,
  DeleteNatGatewayCommand,
  DeleteSecurityGroupCommand,
  DeleteSubnetCommand,
  DeleteVolumeCommand,
  DeleteVpcCommand,
  DescribeInternetGatewaysCommand,
  DescribeNatGatewaysCommand,
  DescribeNetworkInterfacesCommand,
  DescribeVolumesCommand,
  DetachInternetGatewayCommand,
  DetachVolumeCommand,
  ModifyInstanceAttributeCommand,
  ModifyVolumeCommand,
  ReleaseAddressCommand,
  StartInstancesCommand,
  TerminateInstancesCommand,
  type NatGateway,
} from "@aws-sdk/client-ec2";
import {
  AttachRolePolicyCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  DeletePolicyCommand,
  DeleteRoleCommand,
} from "@aws-sdk/client-iam";
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { openAwsFixture, settled, type AwsFixture } from "../testing/aws-fixture";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture({ timing: { instance: 60, volume: 40, attachment: 40 } });
});
afterAll(async () => cloud.stop());

async function refused(work: Promise<unknown>, name: string, message: string | RegExp): Promise<void> {
  const expected: unknown = typeof message === "string" ? message : expect.stringMatching(message);
  await expect(work).rejects.toMatchObject({ name, message: expected });
}

test("a volume that is attached cannot be attached elsewhere before it is detached", async () => {
  const [first, second, volume] = [await cloud.run(), await cloud.run(), await cloud.volume()];
  const attach = (InstanceId: string): Promise<unknown> =>
    cloud.ec2.send(new AttachVolumeCommand({ VolumeId: volume, InstanceId, Device: "/dev/sdf" }));
  await attach(first);
  await refused(attach(second), "VolumeInUse", `${volume} is already attached to an instance`);
  const named = new DetachVolumeCommand({ VolumeId: volume, InstanceId: second });
  await refused(cloud.ec2.send(named), "InvalidAttachment.NotFound", /is not attached to instance/);
  await refused(cloud.ec2.send(new DeleteVolumeCommand({ VolumeId: volume })), "VolumeInUse", /attached/);
  await cloud.ec2.send(new DetachVolumeCommand({ VolumeId: volume }));
  await attach(second);
  const found = await cloud.ec2.send(new DescribeVolumesCommand({ VolumeIds: [volume] }));
  expect(found.Volumes?.[0]?.Attachments?.map(({ InstanceId }) => InstanceId)).toEqual([second]);
});

test("a volume is attached in its own zone, at a free device, to an instance that lives", async () => {
  const instance = await cloud.run();
  const attach = async (VolumeId: string, Device: string): Promise<unknown> =>
    cloud.ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId: instance, Device }));
  const far = await cloud.volume("b");
  await refused(
    attach(far, "/dev/sdf"),
    "InvalidVolume.ZoneMismatch",
    `The volume '${far}' is not in the same availability zone as instance '${instance}'`,
  );
  await attach(await cloud.volume(), "/dev/sdf");
  await refused(
    attach(await cloud.volume(), "/dev/sdf"),
    "InvalidParameterValue",
    "Invalid value '/dev/sdf' for unixDevice. Attachment point /dev/sdf is already in use",
  );
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));
  const spare = await cloud.volume();
  await refused(attach(spare, "/dev/sdg"), "IncorrectState", /is not 'running'/);
  await refused(
    cloud.ec2.send(new DetachVolumeCommand({ VolumeId: spare })),
    "IncorrectState",
    `Volume '${spare}' is in the 'available' state.`,
  );
});

test("a volume that is being made cannot be attached yet", async () => {
  const instance = await cloud.run();
  await cloud.aws.setTiming({ volume: 60_000 });
  try {
    const input = { AvailabilityZone: `${cloud.aws.region}a`, Size: 1 };
    const made = await cloud.ec2.send(new CreateVolumeCommand(input));
    const attach = { VolumeId: made.VolumeId, InstanceId: instance, Device: "/dev/sdf" };
    await refused(cloud.ec2.send(new AttachVolumeCommand(attach)), "IncorrectState", /is not 'available'/);
  } finally {
    await cloud.aws.setTiming({ volume: 40 });
  }
});

test("a volume is made from a snapshot that there is", async () => {
  const from = new CreateVolumeCommand({
    AvailabilityZone: `${cloud.aws.region}a`,
    SnapshotId: "snap-00000000000000000",
  });
  const message = "The snapshot 'snap-00000000000000000' does not exist.";
  await refused(cloud.ec2.send(from), "InvalidSnapshot.NotFound", message);
});

test("a volume grows once in six hours and never shrinks", async () => {
  const volume = await cloud.volume();
  await cloud.ec2.send(new ModifyVolumeCommand({ VolumeId: volume, Size: 3 }));
  const modify = (Size: number): Promise<unknown> =>
    cloud.ec2.send(new ModifyVolumeCommand({ VolumeId: volume, Size }));
  await refused(modify(2), "InvalidParameterValue", "New size cannot be smaller than existing size");
  await refused(modify(4), "VolumeModificationRateExceeded", /Wait at least 6 hours/);
});

test("an interface belongs to one instance, and is free again when that one ends", async () => {
  const made = await cloud.ec2.send(
    new CreateNetworkInterfaceCommand({ SubnetId: cloud.subnets[1], PrivateIpAddress: "10.0.2.10" }),
  );
  const id = made.NetworkInterface?.NetworkInterfaceId ?? "";
  const own = { NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: id }] };
  const first = await cloud.run(own);
  const other = await cloud.run();
  await refused(cloud.run(own), "InvalidNetworkInterface.InUse", `Interface: [${id}] in use.`);
  const attach = { NetworkInterfaceId: id, InstanceId: other, DeviceIndex: 1 };
  await refused(
    cloud.ec2.send(new AttachNetworkInterfaceCommand(attach)),
    "InvalidNetworkInterface.InUse",
    /in use/,
  );
  const remove = new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: id });
  await refused(
    cloud.ec2.send(remove),
    "InvalidParameterValue",
    `Network interface '${id}' is currently in use.`,
  );
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [first] }));
  await settled(`${id} to be free`, "available", async () => {
    const found = await cloud.ec2.send(new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [id] }));
    return found.NetworkInterfaces?.[0]?.Status;
  });
  const second = await cloud.run(own);
  const state = await cloud.aws.state();
  expect(state.instances.find((instance) => instance.id === second)).toMatchObject({
    privateIp: "10.0.2.10",
    zone: `${cloud.aws.region}b`,
    subnetCidr: "10.0.2.0/24",
  });
});

test("a private address is given once and lies in its subnet", async () => {
  const make = (PrivateIpAddress: string): Promise<unknown> =>
    cloud.ec2.send(new CreateNetworkInterfaceCommand({ SubnetId: cloud.subnets[0], PrivateIpAddress }));
  await make("10.0.1.77");
  await refused(make("10.0.1.77"), "InvalidIPAddress.InUse", "Address 10.0.1.77 is in use.");
  const run = cloud.run({ PrivateIpAddress: "10.0.1.77" });
  await refused(run, "InvalidIPAddress.InUse", "Address 10.0.1.77 is in use.");
  await refused(
    make("10.9.1.77"),
    "InvalidParameterValue",
    /does not fall within the subnet's address range/,
  );
});

/** The internet gateway of the network, which is made at the first call. */
async function attachGateway(): Promise<{ InternetGatewayId: string; VpcId: string }> {
  const { ec2, vpcId } = cloud;
  const filter = { Filters: [{ Name: "attachment.vpc-id", Values: [vpcId] }] };
  const known = await ec2.send(new DescribeInternetGatewaysCommand(filter));
  const [found] = known.InternetGateways ?? [];
  if (found !== undefined) return { InternetGatewayId: found.InternetGatewayId ?? "", VpcId: vpcId };
  const made = await ec2.send(new CreateInternetGatewayCommand({}));
  const gateway = { InternetGatewayId: made.InternetGateway?.InternetGatewayId ?? "", VpcId: vpcId };
  await ec2.send(new AttachInternetGatewayCommand(gateway));
  return gateway;
}

test("a network without an internet gateway has no public addresses", async () => {
  const { ec2 } = cloud;
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.1.0.0/16" }));
  const VpcId = Vpc?.VpcId ?? "";
  const made = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.1.1.0/24" }));
  const SubnetId = made.Subnet?.SubnetId ?? "";
  const nic = await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId }));
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  const NetworkInterfaceId = nic.NetworkInterface?.NetworkInterfaceId;
  const message = `Network ${VpcId} is not attached to any internet gateway`;
  const associate = new AssociateAddressCommand({ AllocationId, NetworkInterfaceId });
  await refused(ec2.send(associate), "Gateway.NotAttached", message);
  const InstanceId = await cloud.run({ SubnetId });
  const ofInstance = new AssociateAddressCommand({ AllocationId, InstanceId });
  await refused(ec2.send(ofInstance), "Gateway.NotAttached", message);
  const balancer = { Name: "facing", Type: "network" as const, Subnets: [SubnetId] };
  await refused(
    cloud.elb.send(new CreateLoadBalancerCommand(balancer)),
    "InvalidSubnetException",
    `VPC ${VpcId} has no internet gateway`,
  );
  await cloud.elb.send(new CreateLoadBalancerCommand({ ...balancer, Scheme: "internal" }));

  // A NAT gateway is made, and fails.
  const { NatGateway } = await ec2.send(new CreateNatGatewayCommand({ SubnetId, AllocationId }));
  const NatGatewayIds = [NatGateway?.NatGatewayId ?? ""];
  const found = async (): Promise<NatGateway | undefined> =>
    (await ec2.send(new DescribeNatGatewaysCommand({ NatGatewayIds }))).NatGateways?.[0];
  await settled("the NAT gateway to fail", "failed", async () => (await found())?.State);
  expect(await found()).toMatchObject({
    FailureCode: "Gateway.NotAttached",
    FailureMessage: `Network ${VpcId} has no Internet gateway attached`,
  });
  await ec2.send(new ReleaseAddressCommand({ AllocationId }));
});

test("networks, groups, gateways and addresses in use stay", async () => {
  const { ec2, vpcId } = cloud;
  await cloud.run();
  const group = async (GroupName: string): Promise<string> =>
    (await ec2.send(new CreateSecurityGroupCommand({ GroupName, Description: "d", VpcId: vpcId }))).GroupId ??
    "";
  const [used, named] = [await group("used"), await group("named")];
  const instance = await cloud.run({ SecurityGroupIds: [used] });
  await ec2.send(
    new AuthorizeSecurityGroupIngressCommand({
      GroupId: used,
      IpPermissions: [
        { IpProtocol: "tcp", FromPort: 22, ToPort: 22, UserIdGroupPairs: [{ GroupId: named }] },
      ],
    }),
  );
  for (const GroupId of [used, named]) {
    const remove = ec2.send(new DeleteSecurityGroupCommand({ GroupId }));
    await refused(remove, "DependencyViolation", `resource ${GroupId} has a dependent object`);
  }
  await refused(
    ec2.send(new DeleteSubnetCommand({ SubnetId: cloud.subnets[0] })),
    "DependencyViolation",
    `The subnet '${cloud.subnets[0]}' has dependencies and cannot be deleted.`,
  );
  await refused(ec2.send(new DeleteVpcCommand({ VpcId: vpcId })), "DependencyViolation", /vpc/);

  const gateway = await attachGateway();
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  await ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId: instance }));
  await refused(ec2.send(new ReleaseAddressCommand({ AllocationId })), "InvalidIPAddress.InUse", /is in use/);
  const nat = new CreateNatGatewayCommand({ SubnetId: cloud.subnets[0], AllocationId });
  await refused(ec2.send(nat), "Resource.AlreadyAssociated", /is already associated/);
  await refused(
    ec2.send(new DetachInternetGatewayCommand(gateway)),
    "DependencyViolation",
    /mapped public address/,
  );
});

test("the address of a NAT gateway is released only after the gateway was deleted", async () => {
  const { ec2, subnets } = cloud;
  await attachGateway();
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  const { NatGateway } = await ec2.send(new CreateNatGatewayCommand({ SubnetId: subnets[0], AllocationId }));
  expect(NatGateway?.NatGatewayAddresses?.[0]?.PrivateIp).toMatch(/^10\.0\.1\./);
  const release = new ReleaseAddressCommand({ AllocationId });
  await refused(ec2.send(release), "InvalidIPAddress.InUse", /is in use/);
  await ec2.send(new DeleteNatGatewayCommand({ NatGatewayId: NatGateway?.NatGatewayId }));
  await ec2.send(release);
});

test("an instance is started and changed only in a state that allows it", async () => {
  const instance = await cloud.run();
  const change = { InstanceId: instance, UserData: { Value: Buffer.from("#!/bin/sh") } };
  await refused(
    cloud.ec2.send(new ModifyInstanceAttributeCommand(change)),
    "IncorrectInstanceState",
    `The instance '${instance}' is not in the 'stopped' state.`,
  );
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));
  await refused(
    cloud.ec2.send(new StartInstancesCommand({ InstanceIds: [instance] })),
    "IncorrectInstanceState",
    `The instance '${instance}' is not in a state from which it can be started.`,
  );
});

test.each([
  ["image", { ImageId: "ami-00000000000000000" }, /^InvalidAMIID/],
  ["key pair", { KeyName: "nobody" }, /^InvalidKeyPair\.NotFound$/],
  ["instance profile", { IamInstanceProfile: { Name: "nobody" } }, /^InvalidParameterValue$/],
])("an instance with an unknown %s is not run", async (_what, input, name) => {
  const name_: unknown = expect.stringMatching(name);
  await expect(cloud.run(input)).rejects.toMatchObject({ name: name_ });
});

test("roles and policies that are attached stay", async () => {
  const document = (statement: object): string =>
    JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  const trust = { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" };
  await cloud.iam.send(
    new CreateRoleCommand({ RoleName: "kept", AssumeRolePolicyDocument: document(trust) }),
  );
  const rights = document({ Effect: "Allow", Action: "s3:*", Resource: "*" });
  const made = await cloud.iam.send(new CreatePolicyCommand({ PolicyName: "kept", PolicyDocument: rights }));
  const PolicyArn = made.Policy?.Arn ?? "";
  await cloud.iam.send(new AttachRolePolicyCommand({ RoleName: "kept", PolicyArn }));
  await refused(
    cloud.iam.send(new DeletePolicyCommand({ PolicyArn })),
    "DeleteConflictException",
    "Cannot delete a policy attached to entities.",
  );
  await refused(
    cloud.iam.send(new DeleteRoleCommand({ RoleName: "kept" })),
    "DeleteConflictException",
    /detach/,
  );
});

test("a load balancer has one name and one listener a port", async () => {
  const kind = { Type: "network", Scheme: "internal" } as const;
  const balancer = { Name: "twice", ...kind, Subnets: [...cloud.subnets] };
  const made = await cloud.elb.send(new CreateLoadBalancerCommand(balancer));
  const LoadBalancerArn = made.LoadBalancers?.[0]?.LoadBalancerArn ?? "";
  expect(LoadBalancerArn).toContain(":loadbalancer/net/twice/");
  await refused(
    cloud.elb.send(new CreateLoadBalancerCommand(balancer)),
    "DuplicateLoadBalancerNameException",
    /twice/,
  );
  const target = { Name: "twice", Protocol: "TCP" as const, Port: 6443, VpcId: cloud.vpcId };
  const groups = await cloud.elb.send(new CreateTargetGroupCommand(target));
  const TargetGroupArn = groups.TargetGroups?.[0]?.TargetGroupArn;
  const DefaultActions = [{ Type: "forward" as const, TargetGroupArn }];
  const listener = { LoadBalancerArn, Protocol: "TCP" as const, Port: 6443, DefaultActions };
  await cloud.elb.send(new CreateListenerCommand(listener));
  await refused(
    cloud.elb.send(new CreateListenerCommand(listener)),
    "DuplicateListenerException",
    /already exists/,
  );
});
