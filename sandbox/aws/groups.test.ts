import {
  CancelInstanceRefreshCommand,
  CompleteLifecycleActionCommand,
  CreateAutoScalingGroupCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  SetDesiredCapacityCommand,
  StartInstanceRefreshCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
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
import { IMAGE, openAwsFixture, settled, type AwsFixture } from "./testing/aws-fixture";
import type { InstanceState } from "./state";

const PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJzZv0zP1w2k5o3m8lqYxv0VJ3t2lM4m8m0y9x1Zb3cD somebody";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture({ timing: { instance: 60 } });
});
afterAll(async () => cloud.stop());

async function members(name: string): Promise<InstanceState[]> {
  const { instances } = await cloud.aws.state();
  return instances
    .filter(({ tags }) => tags["aws:autoscaling:groupName"] === name)
    .filter(({ state }) => state === "running" || state === "pending");
}

async function refreshOf(name: string): Promise<string | undefined> {
  const found = await cloud.autoscaling.send(
    new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name }),
  );
  return found.InstanceRefreshes?.[0]?.Status;
}

/** The instances of a group and where each is in its life, oldest first. */
async function lives(name: string): Promise<string[]> {
  const found = await cloud.autoscaling.send(
    new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }),
  );
  return (found.AutoScalingGroups?.[0]?.Instances ?? []).map(
    ({ InstanceId, LifecycleState }) => `${InstanceId ?? ""} ${LifecycleState ?? ""}`,
  );
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
  await settled("the refresh", "Successful", () => refreshOf("g"));
  const fresh = (await members("g")).map(({ id }) => id);
  expect(fresh).toHaveLength(3);
  expect(fresh.filter((id) => old.includes(id))).toEqual([]);

  const remove = (ForceDelete: boolean): Promise<unknown> =>
    cloud.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: "g", ForceDelete }));
  await expect(remove(false)).rejects.toMatchObject({ name: "ResourceInUseFault" });
  await remove(true);
  expect(await members("g")).toEqual([]);
  const groups = await cloud.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
  expect(groups.AutoScalingGroups).toEqual([]);
});

test("an auto scaling group that is empty can be deleted", async () => {
  const AutoScalingGroupName = "empty";
  await cloud.autoscaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName,
      MinSize: 0,
      MaxSize: 0,
      LaunchTemplate: { LaunchTemplateName: "template" },
      VPCZoneIdentifier: cloud.subnets[0],
    }),
  );
  await cloud.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName }));
  const groups = await cloud.autoscaling.send(new DescribeAutoScalingGroupsCommand({}));
  expect(groups.AutoScalingGroups).toEqual([]);
});

describe("a group with hooks on the way in and out", () => {
  const AutoScalingGroupName = "hooked";
  const ids = async (state: string): Promise<string[]> =>
    (await lives(AutoScalingGroupName))
      .filter((life) => life.endsWith(` ${state}`))
      .map((life) => life.split(" ")[0] ?? "");
  const complete = (
    InstanceId: string,
    LifecycleHookName: string,
    LifecycleActionResult = "CONTINUE",
  ): Promise<unknown> =>
    cloud.autoscaling.send(
      new CompleteLifecycleActionCommand({
        AutoScalingGroupName,
        InstanceId,
        LifecycleHookName,
        LifecycleActionResult,
      }),
    );
  const resize = (DesiredCapacity: number): Promise<unknown> =>
    cloud.autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity }));
  const reaches = (what: string): Promise<void> =>
    settled("the group", what, async () =>
      (await lives(AutoScalingGroupName))
        .map((life) => life.split(" ")[1])
        .sort()
        .join(),
    );
  let template = "";

  beforeAll(async () => {
    const LaunchTemplateData = { ImageId: IMAGE, InstanceType: "t3.small" as const };
    const made = await cloud.ec2.send(
      new CreateLaunchTemplateCommand({ LaunchTemplateName: AutoScalingGroupName, LaunchTemplateData }),
    );
    template = made.LaunchTemplate?.LaunchTemplateId ?? "";
    await cloud.autoscaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName,
        MinSize: 0,
        MaxSize: 5,
        DesiredCapacity: 2,
        LaunchTemplate: { LaunchTemplateId: template, Version: "1" },
        VPCZoneIdentifier: cloud.subnets.join(","),
        LifecycleHookSpecificationList: [
          {
            LifecycleHookName: "in",
            LifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING",
            HeartbeatTimeout: 600,
          },
          {
            LifecycleHookName: "out",
            LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
            HeartbeatTimeout: 600,
            DefaultResult: "CONTINUE",
          },
        ],
      }),
    );
  });
  afterAll(() =>
    cloud.autoscaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true })),
  );

  test("has no instance in service before its hook is completed, and makes a new one for one that is given up", async () => {
    const [first = "", second = ""] = await ids("Pending:Wait");
    await complete(first, "in");
    await complete(second, "in", "ABANDON");
    const [third = ""] = await ids("Pending:Wait");
    expect([await ids("InService"), third === second]).toEqual([[first], false]);
    await expect(complete(first, "in")).rejects.toThrow("No active Lifecycle Action found");
    await complete(third, "in");
    await reaches("InService,InService");
  });

  test("lets an instance go only when its hook is completed", async () => {
    await resize(1);
    await reaches("InService,Terminating:Wait");
    const [leaving = ""] = await ids("Terminating:Wait");
    expect((await members(AutoScalingGroupName)).map(({ id }) => id)).toContain(leaving);
    await complete(leaving, "out");
    await reaches("InService");
    await resize(2);
    for (const id of await ids("Pending:Wait")) await complete(id, "in");
    await reaches("InService,InService");
  });

  test("is refreshed one by one: a new instance serves before an old one goes, and never more than one is away", async () => {
    const old = await ids("InService");
    await cloud.ec2.send(
      new CreateLaunchTemplateVersionCommand({
        LaunchTemplateId: template,
        LaunchTemplateData: {
          ImageId: IMAGE,
          InstanceType: "t3.medium",
          UserData: Buffer.from("#!/bin/sh\n").toString("base64"),
        },
      }),
    );
    await cloud.autoscaling.send(
      new UpdateAutoScalingGroupCommand({
        AutoScalingGroupName,
        LaunchTemplate: { LaunchTemplateId: template, Version: "2" },
      }),
    );
    const Preferences = {
      MinHealthyPercentage: 100,
      MaxHealthyPercentage: 110,
      InstanceWarmup: 0,
      SkipMatching: true,
    };
    await cloud.autoscaling.send(new StartInstanceRefreshCommand({ AutoScalingGroupName, Preferences }));
    await expect(
      cloud.autoscaling.send(new StartInstanceRefreshCommand({ AutoScalingGroupName })),
    ).rejects.toMatchObject({ name: "InstanceRefreshInProgressFault" });
    for (const leaving of old) {
      await reaches("InService,InService,Pending:Wait");
      await complete((await ids("Pending:Wait"))[0] ?? "", "in");
      await reaches("InService,InService,Terminating:Wait");
      expect(await ids("Terminating:Wait")).toEqual([leaving]);
      await complete(leaving, "out");
    }
    await settled("the refresh", "Successful", () => refreshOf(AutoScalingGroupName));
    expect((await ids("InService")).filter((id) => old.includes(id))).toEqual([]);
    await cloud.autoscaling.send(new StartInstanceRefreshCommand({ AutoScalingGroupName, Preferences }));
    await settled("a refresh of what is new already", "Successful", () => refreshOf(AutoScalingGroupName));
    expect(await ids("Pending:Wait")).toEqual([]);
  });

  test("goes back to its number when a refresh is cancelled", async () => {
    await cloud.autoscaling.send(
      new StartInstanceRefreshCommand({ AutoScalingGroupName, Preferences: { MaxHealthyPercentage: 110 } }),
    );
    await reaches("InService,InService,Pending:Wait");
    await cloud.autoscaling.send(new CancelInstanceRefreshCommand({ AutoScalingGroupName }));
    expect(await refreshOf(AutoScalingGroupName)).toBe("Cancelled");
    for (const id of await ids("Pending:Wait")) await complete(id, "in");
    await complete((await ids("Terminating:Wait"))[0] ?? "", "out");
    await reaches("InService,InService");
  });
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
