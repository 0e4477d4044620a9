import { CreateVpcCommand, DescribeVpcsCommand, EC2Client } from "@aws-sdk/client-ec2";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startAws, type Aws } from "./aws";
import { CREDENTIALS } from "./variables";

/** Makes a VPC as part of a creation, as the sandbox's provider does it. */
async function createVpc(aws: Aws, token: string | undefined, CidrBlock = "10.0.0.0/16"): Promise<string> {
  const client = new EC2Client({ endpoint: aws.endpoint, region: aws.region, credentials: CREDENTIALS });
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string> };
      if (token !== undefined) request.headers["x-fleetwright-creation"] = token;
      return next(args);
    },
    { step: "build" },
  );
  try {
    return (await client.send(new CreateVpcCommand({ CidrBlock }))).Vpc?.VpcId ?? "";
  } finally {
    client.destroy();
  }
}

const count = async (aws: Aws): Promise<number> =>
  (await aws.clients.ec2.send(new DescribeVpcsCommand({}))).Vpcs?.length ?? 0;

test("a creation that asks again gets the same answer, also from the next process, and makes nothing twice", async () => {
  const dir = await mkdtemp(path.join(os.tmpdir(), "fleetwright-replays-"));
  try {
    let aws = await startAws({ dir });
    const before = await count(aws);
    const vpc = await createVpc(aws, "one");
    expect(await createVpc(aws, "one")).toBe(vpc);
    await aws.stop();
    aws = await startAws({ dir });
    expect(await createVpc(aws, "one")).toBe(vpc);
    expect(await count(aws)).toBe(before + 1);
    expect(aws.ledger.entries().filter(({ answeredBy }) => answeredBy === "replay")).toHaveLength(2);
    // Another creation, another call of the same one, and a call of none are not the same.
    const others = [
      await createVpc(aws, "two"),
      await createVpc(aws, "one", "10.1.0.0/16"),
      await createVpc(aws, undefined),
    ];
    expect(new Set([vpc, ...others]).size).toBe(4);
    await aws.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
