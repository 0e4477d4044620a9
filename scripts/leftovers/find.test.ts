import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
} from "@aws-sdk/client-ec2";
import { CreateLoadBalancerCommand } from "@aws-sdk/client-elastic-load-balancing-v2";
import { clientsFor, startAws, type Aws } from "../../sandbox/aws";
import { askClassic, classicBalancers, taggedIn } from "./classic-balancers";
import { leftoversOf } from "./find";

jest.setTimeout(120_000);

let aws: Aws;
let clients: ReturnType<typeof clientsFor>;
beforeAll(async () => {
  aws = await startAws();
  clients = clientsFor(aws.endpoint, "eu-central-1");
});
afterAll(async () => {
  clients.close();
  await aws.stop();
});

const tags = (all: Record<string, string>): { Key: string; Value: string }[] =>
  Object.entries(all).map(([Key, Value]) => ({ Key, Value }));

it("finds what Services and claims of a cluster left, and nothing of another cluster or of the stack itself", async () => {
  const { ec2, elb } = clients;
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.9.0.0/16" }));
  const { Subnet } = await ec2.send(
    new CreateSubnetCommand({
      VpcId: Vpc?.VpcId,
      CidrBlock: "10.9.0.0/24",
      AvailabilityZone: "eu-central-1a",
    }),
  );
  const balancer = async (name: string, own: Record<string, string>): Promise<string> => {
    const { LoadBalancers } = await elb.send(
      new CreateLoadBalancerCommand({
        Name: name,
        Type: "network",
        Scheme: "internal",
        Subnets: [Subnet?.SubnetId ?? ""],
        Tags: tags(own),
      }),
    );
    return LoadBalancers?.[0]?.LoadBalancerArn ?? "";
  };
  const volume = async (own: Record<string, string>): Promise<string> => {
    const TagSpecifications = [{ ResourceType: "volume" as const, Tags: tags(own) }];
    const { VolumeId } = await ec2.send(
      new CreateVolumeCommand({ AvailabilityZone: "eu-central-1a", Size: 1, TagSpecifications }),
    );
    return VolumeId ?? "";
  };
  const ofMain = { "kubernetes.io/cluster/main": "owned" };
  const ofService = await balancer("a1", { ...ofMain, "kubernetes.io/service-name": "shop/web" });
  const ofController = await balancer("a2", {
    "elbv2.k8s.aws/cluster": "main",
    "service.k8s.aws/stack": "shop/api",
  });
  await balancer("b", { "elbv2.k8s.aws/cluster": "other", "kubernetes.io/cluster/other": "owned" });
  await balancer("own-api", { "fleetwright.dev/cluster": "main" });
  const claim = {
    "kubernetes.io/created-for/pvc/name": "data",
    "kubernetes.io/created-for/pvc/namespace": "shop",
  };
  const ofClaim = await volume({ ...ofMain, ...claim });
  await volume(ofMain);
  await volume({ "kubernetes.io/cluster/other": "owned", ...claim });
  await volume({ "fleetwright.dev/cluster": "main" });
  const { GroupId } = await ec2.send(
    new CreateSecurityGroupCommand({
      GroupName: "k8s-elb-a1",
      Description: "Security group for Kubernetes ELB",
      VpcId: Vpc?.VpcId,
      TagSpecifications: [{ ResourceType: "security-group", Tags: tags(ofMain) }],
    }),
  );
  const found = await leftoversOf("main", clients);
  expect(found.map(({ kind, id, madeFor }) => [kind, id, madeFor])).toEqual([
    ["load balancer", ofService, "shop/web"],
    ["load balancer", ofController, "shop/api"],
    ["security group", GroupId, "unknown"],
    ["volume", ofClaim, "claim shop/data"],
  ]);
  expect(found.at(-1)?.removal).toBe(`aws ec2 delete-volume --volume-id ${ofClaim}`);
  expect(await leftoversOf("none", clients)).toEqual([]);
});

it("finds classic load balancers, which a plain Service of type LoadBalancer makes", async () => {
  const classic = (name: string, own: Record<string, string>): Promise<string> =>
    askClassic(clients.elb, {
      Action: "CreateLoadBalancer",
      LoadBalancerName: name,
      "AvailabilityZones.member.1": "eu-central-1a",
      "Listeners.member.1.Protocol": "TCP",
      "Listeners.member.1.LoadBalancerPort": "80",
      "Listeners.member.1.InstanceProtocol": "TCP",
      "Listeners.member.1.InstancePort": "30080",
      ...Object.fromEntries(
        tags(own).flatMap(({ Key, Value }, index) => [
          [`Tags.member.${index + 1}.Key`, Key],
          [`Tags.member.${index + 1}.Value`, Value],
        ]),
      ),
    });
  const ofOld = { "kubernetes.io/cluster/old": "owned", "kubernetes.io/service-name": "shop/web" };
  await classic("a-of-old", ofOld);
  await classic("a-of-other", { "kubernetes.io/cluster/other": "owned" });
  // More than one request takes the names of.
  for (let index = 0; index < 20; index++) await classic(`of-nobody-${index}`, { owner: "me & <you>" });
  await classic("z-of-old", ofOld);
  expect(await leftoversOf("old", clients)).toEqual(
    ["a-of-old", "z-of-old"].map((id) => ({
      kind: "load balancer",
      id,
      madeFor: "shop/web",
      removal: `aws elb delete-load-balancer --load-balancer-name ${id}`,
    })),
  );
});

it("says that AWS refused to show classic load balancers, and does not take that for none", async () => {
  aws.faults.add({
    service: "elasticloadbalancing",
    action: "DescribeTags",
    effect: { kind: "error", code: "AccessDenied", status: 403 },
  });
  try {
    await expect(classicBalancers(clients.elb)).rejects.toThrow(
      /refused elasticloadbalancing:DescribeTags with 403: AccessDenied: .* were not looked for/,
    );
  } finally {
    aws.faults.clear();
  }
});

it("looks at every page of security groups", async () => {
  const { ec2 } = clients;
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.8.0.0/16" }));
  const made: string[] = [];
  for (let index = 0; index < 7; index++) {
    const TagSpecifications = [
      { ResourceType: "security-group" as const, Tags: tags({ "kubernetes.io/cluster/wide": "owned" }) },
    ];
    const input = { GroupName: `k8s-elb-${index}`, Description: "of a Service", VpcId: Vpc?.VpcId };
    const { GroupId } = await ec2.send(new CreateSecurityGroupCommand({ ...input, TagSpecifications }));
    made.push(GroupId ?? "");
  }
  const found = await leftoversOf("wide", clients, 5);
  expect(found.map(({ id }) => id).sort()).toEqual(made.sort());
});

it.each([
  ["name first", "<LoadBalancerName>one</LoadBalancerName><Tags>#</Tags>"],
  ["tags first", "<Tags>#</Tags><LoadBalancerName>one</LoadBalancerName>"],
])("reads the tags of an answer with the %s", (_, member) => {
  const pair = "<member><Key>a</Key><Value>1 &amp; 2</Value></member><member><Key>b</Key></member>";
  const one = `<member>${member.replace("#", pair)}</member>`;
  const two = `<member>${member.replace("#", "").replace("one", "two")}</member>`;
  expect(taggedIn(`<TagDescriptions>${one}\n  ${two}</TagDescriptions>`)).toEqual([
    {
      name: "one",
      tags: [
        { Key: "a", Value: "1 & 2" },
        { Key: "b", Value: "" },
      ],
    },
    { name: "two", tags: [] },
  ]);
});
