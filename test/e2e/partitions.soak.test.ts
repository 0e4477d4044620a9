// The stack files of the repository in GovCloud and in China, as somebody previews them who has no account there.
import { DescribeImagesCommand } from "@aws-sdk/client-ec2";
import { clientsFor, startAws, type Aws } from "../../sandbox/aws";
import { countTypes, plannedSteps } from "../harness/pulumi-program";
import { StackProgram } from "../harness/stack-program";

let aws: Aws;
beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());

async function anyImage(region: string): Promise<string> {
  const clients = clientsFor(aws.endpoint, region);
  const { Images } = await clients.ec2.send(new DescribeImagesCommand({}));
  clients.close();
  return Images?.[0]?.ImageId ?? "";
}

const REGIONS = [
  ["us-gov-west-1", "aws-us-gov"],
  ["cn-north-1", "aws-cn"],
] as const;

it.each(["staging", "prod"].flatMap((stack) => REGIONS.map((region) => [stack, ...region] as const)))(
  "the stack %s previews in %s, and names nothing of another partition",
  async (stack, region, partition) => {
    const program = await StackProgram.open(stack, { ...aws.environment, AWS_REGION: region });
    try {
      const imageId = await anyImage(region);
      await program.configure((config) => {
        config["aws:region"] = region;
        const cluster = config["fleetwright:cluster"] as {
          kind?: string;
          selfManaged?: object;
          pools: object[];
        };
        if (cluster.kind === "hosted") return;
        cluster.selfManaged = { ...cluster.selfManaged, servers: { imageId } };
        cluster.pools = cluster.pools.map((pool) => ({ ...pool, imageId }));
      });
      const preview = await program.previewed();
      const text = JSON.stringify(preview);
      expect(text).toContain(`arn:${partition}:`);
      expect(text.match(/arn:aws:[^"\\]*/g) ?? []).toEqual([]);
      expect(countTypes(plannedSteps(preview))["aws:ec2/subnet:Subnet"]).toBe(9);
    } finally {
      await program.close();
    }
  },
);
