import {
  CreateLaunchTemplateCommand,
  CreateSecurityGroupCommand,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import {
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { CreateInstanceProfileCommand, CreatePolicyCommand, CreateRoleCommand } from "@aws-sdk/client-iam";
import { PutParameterCommand } from "@aws-sdk/client-ssm";
import { IMAGE, openAwsFixture, type AwsFixture } from "../testing/aws-fixture";
import { NAME_RULES } from "./name-rules";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture();
});
afterAll(async () => cloud.stop());

const TRUST = JSON.stringify({ Version: "2012-10-17", Statement: [] });

/** How something is made with a name, how long that may be, and what is refused however short it is. */
const CASES: Record<
  string,
  { longest: number; bad: string[]; code: string; make: (name: string) => Promise<unknown> }
> = {
  "a target group": {
    longest: 32,
    bad: ["a_b", "-a", "a-", "a.b"],
    code: "ValidationError",
    make: (Name) =>
      cloud.elb.send(new CreateTargetGroupCommand({ Name, Protocol: "TCP", Port: 1, VpcId: cloud.vpcId })),
  },
  "a load balancer": {
    longest: 32,
    bad: ["a_b", "-a", "internal-a"],
    code: "ValidationError",
    make: (Name) =>
      cloud.elb.send(
        new CreateLoadBalancerCommand({
          Name,
          Type: "network",
          Scheme: "internal",
          Subnets: [cloud.subnets[0]],
        }),
      ),
  },
  "a role": {
    longest: 64,
    bad: ["a b", "a/b", "ä"],
    code: "ValidationError",
    make: (RoleName) => cloud.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: TRUST })),
  },
  "a policy": {
    longest: 128,
    bad: ["a b", "a:b"],
    code: "ValidationError",
    make: (PolicyName) => cloud.iam.send(new CreatePolicyCommand({ PolicyName, PolicyDocument: POLICY })),
  },
  "an instance profile": {
    longest: 128,
    bad: ["a b", "a/b"],
    code: "ValidationError",
    make: (InstanceProfileName) => cloud.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName })),
  },
  "a launch template": {
    longest: 128,
    bad: ["ab", "a b c"],
    code: "InvalidLaunchTemplateName.MalformedException",
    make: (LaunchTemplateName) =>
      cloud.ec2.send(
        new CreateLaunchTemplateCommand({ LaunchTemplateName, LaunchTemplateData: { ImageId: IMAGE } }),
      ),
  },
  "a security group": {
    longest: 255,
    bad: ["sg-a", "a%b", "ä"],
    code: "InvalidParameterValue",
    make: (GroupName) =>
      cloud.ec2.send(new CreateSecurityGroupCommand({ GroupName, Description: "d", VpcId: cloud.vpcId })),
  },
  "a security group's description": {
    longest: 255,
    bad: ["it's", "a\nb"],
    code: "InvalidParameterValue",
    make: (Description) =>
      cloud.ec2.send(
        new CreateSecurityGroupCommand({
          GroupName: `described-${Description.length}`,
          Description,
          VpcId: cloud.vpcId,
        }),
      ),
  },
  "an EKS cluster": {
    longest: 100,
    bad: ["-a", "a.b"],
    code: "InvalidParameterException",
    make: (name) =>
      cloud.eks.send(
        new CreateClusterCommand({
          name,
          roleArn: "arn:aws:iam::123456789012:role/cluster",
          resourcesVpcConfig: { subnetIds: [...cloud.subnets] },
        }),
      ),
  },
  "a parameter": {
    longest: 2048,
    bad: ["a b", "a:b"],
    code: "ValidationException",
    make: (Name) => cloud.ssm.send(new PutParameterCommand({ Name, Value: "v", Type: "String" })),
  },
};
const POLICY = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "s3:ListAllMyBuckets", Resource: "*" }],
});

test.each(Object.entries(CASES))(
  "%s has a name that is as long as AWS takes and no longer",
  async (_what, one) => {
    await one.make("n".repeat(one.longest));
    await expect(one.make("n".repeat(one.longest + 1))).rejects.toMatchObject({ name: one.code });
    for (const name of one.bad) await expect(one.make(name)).rejects.toMatchObject({ name: one.code });
  },
);

test("a refusal says which name, and how long it may be", async () => {
  const Name = "fleet-join-0123456789-0123456789-0";
  await expect(
    cloud.elb.send(new CreateTargetGroupCommand({ Name, Protocol: "TCP", Port: 1, VpcId: cloud.vpcId })),
  ).rejects.toThrow(`Target group name '${Name}' cannot be longer than '32' characters`);
});

test("every rule refuses a name of 3,000 characters", () => {
  for (const { calls, refusal } of NAME_RULES) {
    expect({ calls, refusal: refusal("n".repeat(3000)) }).toEqual({
      calls,
      refusal: expect.anything() as unknown,
    });
  }
});

test("user data has at most 16,384 bytes before it is encoded, for machines and templates", async () => {
  const data = (bytes: number): string => Buffer.from("#".repeat(bytes)).toString("base64");
  const run = (UserData: string): Promise<unknown> =>
    cloud.ec2.send(
      new RunInstancesCommand({
        ...{ ImageId: IMAGE, InstanceType: "t3.small", MinCount: 1, MaxCount: 1 },
        SubnetId: cloud.subnets[0],
        UserData,
      }),
    );
  const template = (LaunchTemplateName: string, UserData: string): Promise<unknown> =>
    cloud.ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName,
        LaunchTemplateData: { ImageId: IMAGE, UserData },
      }),
    );
  await run(data(16_384));
  await template("fits", data(16_384));
  const refusal = { name: "InvalidParameterValue", message: "User data is limited to 16384 bytes" };
  await expect(run(data(16_385))).rejects.toMatchObject(refusal);
  await expect(template("large", data(16_385))).rejects.toMatchObject(refusal);
});
