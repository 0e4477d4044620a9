import { startAws, type Aws } from "../sandbox/aws";
import { countTypes } from "./pulumi-program";
import { StackProgram } from "./stack-program";

// The stack files of the repository, as somebody previews them who has no account: only the address of AWS is another.

jest.setTimeout(300_000);

let aws: Aws;
beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());

async function counts(stack: string, ...options: string[]): Promise<Record<string, number>> {
  const program = await StackProgram.open(stack, aws.environment);
  try {
    const steps = await program.preview(...options);
    expect(new Set(steps.map(({ op }) => op))).toEqual(new Set(["create"]));
    return countTypes(steps);
  } finally {
    await program.close();
  }
}

/** What was asked of AWS that changes something. */
const changesAsked = (): string[] =>
  aws.ledger
    .entries(0)
    .map(({ action }) => action)
    .filter((action) => !/^(Describe|Get|List)/.test(action));

it("staging previews as RKE2 over three zones", async () => {
  expect(await counts("staging")).toMatchObject({
    "fleetwright:index:Server": 3,
    "fleetwright:index:StateVolume": 3,
    "fleetwright:index:NodePool": 2,
    "aws:ec2/instance:Instance": 3,
    "aws:ebs/volume:Volume": 3,
    "aws:ec2/networkInterface:NetworkInterface": 3,
    "aws:ec2/volumeAttachment:VolumeAttachment": 3,
    "aws:dlm/lifecyclePolicy:LifecyclePolicy": 1,
    "aws:lb/loadBalancer:LoadBalancer": 1,
    "aws:lb/targetGroupAttachment:TargetGroupAttachment": 6,
    "aws:autoscaling/group:Group": 2,
    "aws:ssm/parameter:Parameter": 2,
    "aws:ec2/subnet:Subnet": 9,
    "aws:ec2/natGateway:NatGateway": 3,
    // S3, three of Systems Manager, and Auto Scaling.
    "aws:ec2/vpcEndpoint:VpcEndpoint": 5,
    "aws:ec2/flowLog:FlowLog": 1,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": 1,
    // Five for each server, two to read the cluster, one for each pool.
    "command:remote:Command": 19,
    // A host key for each server, the token, and the program's own login key.
    "tls:index/privateKey:PrivateKey": 5,
    "kubernetes:core/v1:Namespace": 1,
  });
  expect(changesAsked()).toEqual([]);
});

it("prod previews as EKS", async () => {
  expect(await counts("prod")).toMatchObject({
    "aws:eks/cluster:Cluster": 1,
    "aws:eks/nodeGroup:NodeGroup": 2,
    "aws:eks/addon:Addon": 5,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": 2,
    "aws:ec2/launchTemplate:LaunchTemplate": 2,
    "aws:kms/key:Key": 1,
    "aws:ec2/subnet:Subnet": 9,
    "aws:ec2/natGateway:NatGateway": 3,
    "aws:ec2/vpcEndpoint:VpcEndpoint": 5,
    "aws:ec2/flowLog:FlowLog": 1,
    "kubernetes:core/v1:Namespace": 1,
  });
  expect(changesAsked()).toEqual([]);
});
