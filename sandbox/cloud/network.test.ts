import {
  AuthorizeSecurityGroupIngressCommand,
  CreateManagedPrefixListCommand,
  CreateRouteCommand,
  DeleteRouteCommand,
  DisassociateAddressCommand,
  ModifyManagedPrefixListCommand,
  RevokeSecurityGroupIngressCommand,
  type IpPermission,
} from "@aws-sdk/client-ec2";
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  RegisterTargetsCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { OUTSIDE_ADDRESS, OUTSIDE_RANGE } from "../machines/routing";
import { describeMachines } from "../machines/testing/machine-host";
import { VpcFixture, type Host } from "./testing/vpc-fixture";

const LOGIN = 8022;
const API = 8443;
const tcp = (port: number, more: Partial<IpPermission>): IpPermission => ({
  ...{ IpProtocol: "tcp", FromPort: port, ToPort: port },
  ...more,
});

// From calls of the AWS API to packets: what is read from it, what becomes rules, and what they let through.
describeMachines("what the AWS API says about networks", () => {
  let vpc: VpcFixture;
  let ranges: string;
  let bastions: string;
  let nodes: string;
  let bastion: Host;
  let node: Host;
  let stranger: Host;
  let address: { ip: string; association: string };

  beforeAll(async () => {
    vpc = await VpcFixture.open();
    const made = await vpc.aws.ec2.send(
      new CreateManagedPrefixListCommand({
        PrefixListName: "laptops",
        AddressFamily: "IPv4",
        MaxEntries: 5,
        Entries: [{ Cidr: OUTSIDE_RANGE, Description: "all of the outside" }],
      }),
    );
    ranges = made.PrefixList?.PrefixListId ?? "";
    bastions = await vpc.group("bastions", [tcp(LOGIN, { PrefixListIds: [{ PrefixListId: ranges }] })]);
    nodes = await vpc.group("nodes", [tcp(API, { UserIdGroupPairs: [{ GroupId: bastions }] })]);
    const others = await vpc.group("others");
    [bastion, node, stranger] = await Promise.all([
      vpc.launch(vpc.publicSubnet, bastions),
      vpc.launch(vpc.privateSubnet, nodes),
      vpc.launch(vpc.publicSubnet, others),
    ]);
    address = await vpc.associate(bastion.id);
    for (const [place, port] of [
      [bastion, LOGIN],
      [bastion, API],
      [node, API],
      [node, LOGIN],
      ["outside", 80],
    ] as const)
      await vpc.serve(place, port);
  }, 600_000);
  afterAll(() => vpc.close());

  test("a rule that names a group opens its port to the members, and to nobody else", async () => {
    await vpc.becomes(bastion.ip, bastion, node.ip, API);
    expect(await vpc.seenAs(bastion, node.ip, LOGIN)).toBe("");
    expect(await vpc.seenAs(stranger, node.ip, API)).toBe("");
    expect(await vpc.seenAs(node, bastion.ip, API)).toBe("");
  });

  test("a rule counts as long as it is there", async () => {
    const rule = { GroupId: nodes, IpPermissions: [tcp(API, { UserIdGroupPairs: [{ GroupId: bastions }] })] };
    await vpc.aws.ec2.send(new RevokeSecurityGroupIngressCommand(rule));
    await vpc.becomes("", bastion, node.ip, API);
    await vpc.aws.ec2.send(new AuthorizeSecurityGroupIngressCommand(rule));
    await vpc.becomes(bastion.ip, bastion, node.ip, API);
  });

  test("an elastic address leads to its instance, which goes out with it", async () => {
    await vpc.becomes(OUTSIDE_ADDRESS, "outside", address.ip, LOGIN);
    expect(await vpc.seenAs("outside", address.ip, API)).toBe("");
    expect(await vpc.seenAs(bastion, OUTSIDE_ADDRESS, 80)).toBe(address.ip);
    expect(await vpc.seenAs(stranger, OUTSIDE_ADDRESS, 80)).toBe("");
  });

  test("a rule that names a prefix list means the list as it is now", async () => {
    const change = { PrefixListId: ranges, CurrentVersion: 1 };
    await vpc.aws.ec2.send(
      new ModifyManagedPrefixListCommand({
        ...change,
        AddEntries: [{ Cidr: "192.0.2.0/24" }],
        RemoveEntries: [{ Cidr: OUTSIDE_RANGE }],
      }),
    );
    await vpc.becomes("", "outside", address.ip, LOGIN);
    await vpc.aws.ec2.send(
      new ModifyManagedPrefixListCommand({
        ...{ ...change, CurrentVersion: 2 },
        AddEntries: [{ Cidr: `${OUTSIDE_ADDRESS}/32` }],
      }),
    );
    await vpc.becomes(OUTSIDE_ADDRESS, "outside", address.ip, LOGIN);
  });

  test("a subnet whose route leads to a NAT gateway gets out with its address, and is not reached by it", async () => {
    await vpc.becomes(vpc.natAddress, node, OUTSIDE_ADDRESS, 80);
    expect(await vpc.seenAs("outside", vpc.natAddress, API)).toBe("");
    const route = { RouteTableId: vpc.privateTable, DestinationCidrBlock: "0.0.0.0/0" };
    await vpc.aws.ec2.send(new DeleteRouteCommand(route));
    await vpc.becomes("", node, OUTSIDE_ADDRESS, 80);
    await vpc.aws.ec2.send(new CreateRouteCommand({ ...route, NatGatewayId: vpc.natGateway }));
    await vpc.becomes(vpc.natAddress, node, OUTSIDE_ADDRESS, 80);
  });

  test("an address that is taken away leads nowhere", async () => {
    await vpc.aws.ec2.send(new DisassociateAddressCommand({ AssociationId: address.association }));
    await vpc.becomes("", "outside", address.ip, LOGIN);
    expect(await vpc.seenAs(bastion, OUTSIDE_ADDRESS, 80)).toBe("");
  });

  test("a load balancer that faces the internet is reached by its name, from whoever its group lets in", async () => {
    const { elb, ec2 } = vpc.aws;
    const front = await vpc.group("front", [tcp(443, { IpRanges: [{ CidrIp: OUTSIDE_RANGE }] })]);
    const allow = (GroupId: string, ...IpPermissions: IpPermission[]): Promise<unknown> =>
      ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
    await allow(nodes, tcp(API, { UserIdGroupPairs: [{ GroupId: front }] }));
    const made = await elb.send(
      new CreateLoadBalancerCommand({
        Name: "front",
        Type: "network",
        Scheme: "internet-facing",
        Subnets: [vpc.publicSubnet],
        SecurityGroups: [front],
      }),
    );
    const [{ LoadBalancerArn, DNSName: name = "" } = {}] = made.LoadBalancers ?? [];
    const group = await elb.send(
      new CreateTargetGroupCommand({
        Name: "front",
        Protocol: "TCP",
        Port: API,
        TargetType: "ip",
        VpcId: vpc.vpcId,
        ...{ HealthCheckIntervalSeconds: 10, HealthyThresholdCount: 2, UnhealthyThresholdCount: 2 },
      }),
    );
    const TargetGroupArn = group.TargetGroups?.[0]?.TargetGroupArn;
    await elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: [{ Id: node.ip, Port: API }] }));
    const DefaultActions = [{ Type: "forward" as const, TargetGroupArn }];
    const listener = { LoadBalancerArn, Protocol: "TCP" as const, Port: 443, DefaultActions };
    await elb.send(new CreateListenerCommand(listener));
    const { balancers } = await vpc.cloud.aws.state();
    const { ip: own = "", publicIp = "" } = balancers[0]?.addresses[0] ?? {};
    await vpc.becomes(own, "outside", name, 443);
    expect(await vpc.seenAs("outside", own, 443)).toBe("");

    // From inside one comes with the address that one has outside, by which no group is known.
    const byGroup = tcp(443, { UserIdGroupPairs: [{ GroupId: nodes }] });
    const byAddress = tcp(443, { IpRanges: [{ CidrIp: `${vpc.natAddress}/32` }] });
    await allow(front, byGroup, byAddress);
    await vpc.becomes(own, node, publicIp, 443);
    const revoked = { GroupId: front, IpPermissions: [byAddress] };
    await ec2.send(new RevokeSecurityGroupIngressCommand(revoked));
    await vpc.becomes("", node, publicIp, 443);
    expect(await vpc.seenAs(stranger, publicIp, 443)).toBe("");
  });
});
