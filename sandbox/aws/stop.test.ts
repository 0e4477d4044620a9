import {
  DescribeInstancesCommand,
  ModifyInstanceAttributeCommand,
  StartInstancesCommand,
  StopInstancesCommand,
} from "@aws-sdk/client-ec2";
import { openAwsFixture, settled, type AwsFixture } from "./testing/aws-fixture";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture({ timing: { instance: 40, stop: 60_000 } });
});
afterAll(async () => cloud.stop());

async function state(id: string): Promise<string | undefined> {
  const found = await cloud.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return found.Reservations?.[0]?.Instances?.[0]?.State?.Name;
}

const change = (InstanceId: string): Promise<unknown> =>
  cloud.ec2.send(new ModifyInstanceAttributeCommand({ InstanceId, InstanceType: { Value: "t3.large" } }));

async function stop(id: string): Promise<void> {
  await cloud.ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
  expect(await state(id)).toBe("stopping");
  const refusal = { name: "IncorrectInstanceState" };
  await expect(change(id)).rejects.toMatchObject({
    ...refusal,
    message: `The instance '${id}' is not in the 'stopped' state.`,
  });
  const start = new StartInstancesCommand({ InstanceIds: [id] });
  await expect(cloud.ec2.send(start)).rejects.toMatchObject(refusal);
}

test("an instance takes its time to stop, and only then its type is changed", async () => {
  const id = await cloud.run();
  await expect(change(id)).rejects.toMatchObject({ name: "IncorrectInstanceState" });
  await stop(id);
  await cloud.aws.setTiming({ stop: 0 });
  expect(await state(id)).toBe("stopped");
  await change(id);
});

test("with a machine behind it, it is stopped when that has switched itself off, each time anew", async () => {
  await cloud.aws.followMachines();
  const id = await cloud.run();
  for (let time = 0; time < 2; time++) {
    await stop(id);
    await cloud.aws.machineEnded(id);
    expect(await state(id)).toBe("stopped");
    await change(id);
    await cloud.ec2.send(new StartInstancesCommand({ InstanceIds: [id] }));
    await settled(`instance ${id}`, "running", () => state(id));
  }
});
