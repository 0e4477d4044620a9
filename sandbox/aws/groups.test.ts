import {
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  SetDesiredCapacityCommand,
  StartInstanceRefreshCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  CreateLaunchTemplateCommand,
  ImportKeyPairCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DeleteLoadBalancerCommand,
  DescribeTargetHealthCommand,
  RegisterTargetsCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
} from "@aws-sdk/client-iam";
import { IMAGE, openPlayground, settled, type Playground } from "./playground";
import type { InstanceState } from "./state";

const PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJzZv0zP1w2k5o3m8lqYxv0VJ3t2lM4m8m0y9x1Zb3cD somebody";

let cloud: Playground;
beforeAll(async () => {
  cloud = await openPlayground({ timing: { instance: 60 } });
});
afterAll(async () => cloud.stop());

async function members(name: string): Promise<InstanceState[]> {
  const { instances } = await cloud.aws.state();
  return instances
    .filter(({ tags }) => tags["aws:autoscaling:groupName"] === name)
    .filter(({ state }) => state === "running" || state === "pending");
}

test("an auto scaling group keeps its number of instances, made from its template over its zones", async () => {
  await cloud.ec2.send(
    new ImportKeyPairCommand({ KeyName: "k", PublicKeyMaterial: Buffer.from(PUBLIC_KEY) }),
  );
  const trust = { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" };
  const document = JSON.stringify({ Version: "2012-10-17", Statement: [trust] });
  await cloud.iam.send(new CreateRoleCommand({ RoleName: "r", AssumeRolePolicyDocument: document }));
  await cloud.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: "p" }));
  await cloud.iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: "p", RoleName: "r" }));
  const UserData = Buffer.from("#cloud-config\n").toString("base64");
  const template = await cloud.ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: "template",
      LaunchTemplateData: {
        ImageId: IMAGE,
        InstanceType: "t3.small",
        KeyName: "k",
        UserData,
        IamInstanceProfile: { Name: "p" },
        MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 2 },
        BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { VolumeSize: 20, Encrypted: true } }],
        TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "from", Value: "template" }] }],
      },
    }),
  );
  const group = await cloud.elb.send(
    new CreateTargetGroupCommand({ Name: "asg", Protocol: "TCP", Port: 80, VpcId: cloud.vpcId }),
  );
  const TargetGroupArn = group.TargetGroups?.[0]?.TargetGroupArn ?? "";
  await cloud.autoscaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: "g",
      MinSize: 0,
      MaxSize: 5,
      DesiredCapacity: 2,
      LaunchTemplate: { LaunchTemplateId: template.LaunchTemplate?.LaunchTemplateId, Version: "$Latest" },
      VPCZoneIdentifier: cloud.subnets.join(","),
      Tags: [{ Key: "from-group", Value: "yes", PropagateAtLaunch: true }],
      TargetGroupARNs: [TargetGroupArn],
    }),
  );
  const first = await members("g");
  expect(first.map(({ zone }) => zone.at(-1)).sort()).toEqual(["a", "b"]);
  for (const instance of first) {
    expect(instance).toMatchObject({
      userData: UserData,
      keyName: "k",
      publicKey: PUBLIC_KEY,
      tags: { from: "template", "from-group": "yes" },
      metadata: { httpTokens: "required", hopLimit: 2 },
      blockDevices: [{ device: "/dev/xvda" }],
    });
    expect(instance.instanceProfileArn).toMatch(/instance-profile\/p$/);
  }
  const health = await cloud.elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
  expect(health.TargetHealthDescriptions?.map(({ Target }) => Target?.Id).sort()).toEqual(
    first.map(({ id }) => id).sort(),
  );

  const gone = first[0]?.id ?? "";
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [gone] }));
  const replaced = await members("g");
  expect(replaced.map(({ zone }) => zone.at(-1)).sort()).toEqual(["a", "b"]);
  expect(replaced.map(({ id }) => id)).not.toContain(gone);

  const resize = (DesiredCapacity: number): Promise<unknown> =>
    cloud.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity }));
  await resize(3);
  expect(await members("g")).toHaveLength(3);
  const old = (await members("g")).map(({ id }) => id);
  await cloud.autoscaling.send(new StartInstanceRefreshCommand({ AutoScalingGroupName: "g" }));
  const fresh = (await members("g")).map(({ id }) => id);
  expect(fresh).toHaveLength(3);
  expect(fresh.filter((id) => old.includes(id))).toEqual([]);
  const refreshes = await cloud.autoscaling.send(
    new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: "g" }),
  );
  expect(refreshes.InstanceRefreshes).toMatchObject([{ Status: "Successful", PercentageComplete: 100 }]);

  const remove = (ForceDelete: boolean): Promise<unknown> =>
    cloud.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: "g", ForceDelete }));
  await expect(remove(false)).rejects.toMatchObject({ name: "ResourceInUseFault" });
  await remove(true);
  expect(await members("g")).toEqual([]);
  const groups = await cloud.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
  expect(groups.AutoScalingGroups).toEqual([]);
});

test("a load balancer has an address in each subnet, and its targets are as healthy as they were found", async () => {
  const made = await cloud.elb.send(
    new CreateLoadBalancerCommand({
      Name: "api",
      Type: "network",
      Scheme: "internal",
      SubnetMappings: [
        { SubnetId: cloud.subnets[0], PrivateIPv4Address: "10.0.1.200" },
        { SubnetId: cloud.subnets[1] },
      ],
    }),
  );
  const LoadBalancerArn = made.LoadBalancers?.[0]?.LoadBalancerArn ?? "";
  const group = await cloud.elb.send(
    new CreateTargetGroupCommand({
      Name: "api",
      Protocol: "TCP",
      Port: 6443,
      VpcId: cloud.vpcId,
      TargetType: "ip",
      HealthCheckProtocol: "HTTPS",
      HealthCheckPath: "/ping",
      HealthCheckPort: "9345",
      HealthCheckIntervalSeconds: 10,
    }),
  );
  const arn = group.TargetGroups?.[0]?.TargetGroupArn ?? "";
  await cloud.elb.send(
    new CreateListenerCommand({
      LoadBalancerArn,
      Protocol: "TCP",
      Port: 6443,
      DefaultActions: [{ Type: "forward", TargetGroupArn: arn }],
    }),
  );
  const Targets = [{ Id: "10.0.1.10", Port: 6443 }];
  await cloud.elb.send(new RegisterTargetsCommand({ TargetGroupArn: arn, Targets }));
  const [balancer] = (await cloud.aws.state()).balancers;
  expect(balancer).toMatchObject({
    name: "api",
    type: "network",
    scheme: "internal",
    listeners: [{ protocol: "TCP", port: 6443, targetGroupArns: [arn] }],
    targetGroups: [
      {
        targetType: "ip",
        targets: [{ id: "10.0.1.10", port: 6443 }],
        healthCheck: { protocol: "HTTPS", path: "/ping", port: "9345", intervalSeconds: 10 },
      },
    ],
  });
  expect(balancer?.addresses.map(({ subnetId }) => subnetId)).toEqual([...cloud.subnets]);
  expect(balancer?.addresses[0]?.ip).toBe("10.0.1.200");

  const health = async (): Promise<unknown> =>
    (await cloud.elb.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn })))
      .TargetHealthDescriptions?.[0]?.TargetHealth;
  const reason = "Target.FailedHealthChecks";
  await cloud.aws.setTargetHealth(arn, { id: "10.0.1.10", port: 6443 }, { state: "unhealthy", reason });
  expect(await health()).toMatchObject({ State: "unhealthy", Reason: reason });
  await cloud.aws.setTargetHealth(arn, { id: "10.0.1.10" }, { state: "healthy" });
  expect(await health()).toMatchObject({ State: "healthy" });

  await cloud.elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn }));
  const left = (await cloud.aws.leftovers()).filter(({ kind }) => kind === "ec2 network interface");
  expect(left).toEqual([]);
});

test("listeners hear of changes, and a machine that ended by itself is stopped", async () => {
  const heard: string[] = [];
  const end = cloud.aws.onChange(({ action }) => void heard.push(action));
  const instance = await cloud.run();
  expect(heard).toEqual(["RunInstances"]);
  await cloud.aws.setInstanceState(instance, "stopped");
  await settled("the instance", "stopped", async () => {
    return (await cloud.aws.state()).instances.find(({ id }) => id === instance)?.state;
  });
  expect(heard).toEqual(["RunInstances"]);
  end();
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));
  expect(heard).toHaveLength(1);
});
