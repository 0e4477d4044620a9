import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
} from "@aws-sdk/client-ec2";
import { CreateLoadBalancerCommand } from "@aws-sdk/client-elastic-load-balancing-v2";
import { clientsFor, startAws, type Aws } from "../../sandbox/aws";
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
