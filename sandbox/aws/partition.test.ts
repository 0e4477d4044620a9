import { DescribeAvailabilityZonesCommand, DescribeSubnetsCommand } from "@aws-sdk/client-ec2";
import * as eks from "@aws-sdk/client-eks";
import { CreateTargetGroupCommand } from "@aws-sdk/client-elastic-load-balancing-v2";
import {
  AttachRolePolicyCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  CreateInstanceProfileCommand,
} from "@aws-sdk/client-iam";
import { CreateKeyCommand } from "@aws-sdk/client-kms";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { GetParameterCommand, PutParameterCommand } from "@aws-sdk/client-ssm";
import { openAwsFixture, settled, type AwsFixture } from "./testing/aws-fixture";

const document = (Resource: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "s3:GetObject", Resource }],
  });

describe.each([
  ["us-gov-west-1", "aws-us-gov"],
  ["cn-north-1", "aws-cn"],
] as const)("in %s", (region, partition) => {
  let cloud: AwsFixture;
  beforeAll(async () => {
    cloud = await openAwsFixture({ region, timing: { cluster: 20, addon: 20 } });
  });
  afterAll(async () => cloud.stop());

  test(`every ARN is of the partition ${partition}`, async () => {
    const start = `arn:${partition}:`;
    const role = new CreateRoleCommand({ RoleName: "node", AssumeRolePolicyDocument: document("*") });
    const profile = new CreateInstanceProfileCommand({ InstanceProfileName: "node" });
    const group = new CreateTargetGroupCommand({ Name: "api", Protocol: "TCP", Port: 1, VpcId: cloud.vpcId });
    const made = await cloud.iam.send(role);
    const arns = [
      made.Role?.Arn,
      (await cloud.iam.send(profile)).InstanceProfile?.Arn,
      (await cloud.elb.send(group)).TargetGroups?.[0]?.TargetGroupArn,
      (await cloud.kms.send(new CreateKeyCommand({}))).KeyMetadata?.Arn,
      (await cloud.ec2.send(new DescribeSubnetsCommand({}))).Subnets?.[0]?.SubnetArn,
    ];
    const name = "main";
    const cluster = await cloud.eks.send(
      new eks.CreateClusterCommand({
        ...{ name, version: "1.34", roleArn: made.Role?.Arn ?? "" },
        accessConfig: { authenticationMode: "API" },
        resourcesVpcConfig: { subnetIds: [...cloud.subnets] },
      }),
    );
    await settled("the cluster", "ACTIVE", async () => {
      return (await cloud.eks.send(new eks.DescribeClusterCommand({ name }))).cluster?.status;
    });
    const addon = await cloud.eks.send(
      new eks.CreateAddonCommand({ clusterName: name, addonName: "vpc-cni" }),
    );
    const principals = await cloud.eks.send(new eks.ListAccessEntriesCommand({ clusterName: name }));
    arns.push(cluster.cluster?.arn, addon.addon?.addonArn, ...(principals.accessEntries ?? []));
    for (const arn of arns) expect(arn?.slice(0, start.length)).toBe(start);
  });

  test("what somebody stored is given back as it was", async () => {
    const text = "arn:aws:s3:::elsewhere/*";
    const where = { Bucket: "kept", Key: "policy.json" };
    const CreateBucketConfiguration = { LocationConstraint: region };
    await cloud.s3.send(new CreateBucketCommand({ Bucket: where.Bucket, CreateBucketConfiguration }));
    await cloud.s3.send(new PutObjectCommand({ ...where, Body: text }));
    const found = await cloud.s3.send(new GetObjectCommand(where));
    expect(await found.Body?.transformToString()).toBe(text);
    await cloud.ssm.send(new PutParameterCommand({ Name: "/kept", Type: "String", Value: text }));
    const { Parameter } = await cloud.ssm.send(new GetParameterCommand({ Name: "/kept" }));
    expect(Parameter?.Value).toBe(text);
    expect(Parameter?.ARN).toMatch(new RegExp(`^arn:${partition}:`));
  });

  test("an ARN of another partition is refused", async () => {
    const policy = new CreatePolicyCommand({
      PolicyName: "reader",
      PolicyDocument: document("arn:aws:s3:::bucket/*"),
    });
    await expect(cloud.iam.send(policy)).rejects.toMatchObject({
      name: "MalformedPolicyDocumentException",
      message: 'Partition "aws" is not valid for resource "arn:aws:s3:::bucket/*".',
    });
    const attach = (owner: string): Promise<unknown> =>
      cloud.iam.send(
        new AttachRolePolicyCommand({
          RoleName: "node",
          PolicyArn: `arn:${owner}:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly`,
        }),
      );
    await expect(attach("aws")).rejects.toMatchObject({ name: "InvalidInputException" });
    await attach(partition);
    const level = (owner: string): Promise<unknown> =>
      cloud.eks.send(
        new eks.AssociateAccessPolicyCommand({
          ...{ clusterName: "main", principalArn: `arn:${partition}:iam::123456789012:user/sandbox` },
          policyArn: `arn:${owner}:eks::aws:cluster-access-policy/AmazonEKSViewPolicy`,
          accessScope: { type: "cluster" },
        }),
      );
    await expect(level("aws")).rejects.toMatchObject({ name: "InvalidParameterException" });
    await level(partition);
  });

  test("it has zones of its own", async () => {
    const { AvailabilityZones } = await cloud.ec2.send(new DescribeAvailabilityZonesCommand({}));
    expect(AvailabilityZones?.length).toBeGreaterThan(1);
    for (const { ZoneName } of AvailabilityZones ?? [])
      expect(ZoneName?.slice(0, region.length)).toBe(region);
  });
});
