import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  AttachVolumeCommand,
  DeleteSubnetCommand,
  DeleteVolumeCommand,
  DeleteVpcCommand,
  DetachVolumeCommand,
  ImportKeyPairCommand,
  DeleteKeyPairCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  DeleteAccessKeyCommand,
  DeleteUserCommand,
} from "@aws-sdk/client-iam";
import { EncryptCommand, CreateKeyCommand, ScheduleKeyDeletionCommand } from "@aws-sdk/client-kms";
import { DeleteParameterCommand, PutParameterCommand } from "@aws-sdk/client-ssm";
import { settled, openAwsFixture } from "./testing/aws-fixture";

test("the ledger tells every call in its order and no secret, and leftovers tell what is still there", async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "fleetwright-aws-test-"));
  const cloud = await openAwsFixture({ dir });
  const { ec2, ssm, iam, kms } = cloud;
  try {
    const userData = Buffer.from("#!/bin/sh\necho user-data-secret\n").toString("base64");
    const [instance, volume] = [await cloud.run({ UserData: userData }), await cloud.volume()];
    const attachment = { VolumeId: volume, InstanceId: instance, Device: "/dev/sdf" };
    await ec2.send(new AttachVolumeCommand(attachment));
    await ec2.send(new AttachVolumeCommand(attachment)).catch(() => undefined);
    await ec2.send(new DetachVolumeCommand({ VolumeId: volume }));
    await ssm.send(new PutParameterCommand({ Name: "/token", Value: "ssm-secret", Type: "SecureString" }));
    await ec2.send(
      new ImportKeyPairCommand({
        KeyName: "k",
        PublicKeyMaterial: Buffer.from(
          "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJzZv0zP1w2k5o3m8lqYxv0VJ3t2lM4m8m0y9x1Zb3cD a",
        ),
      }),
    );
    await iam.send(new CreateUserCommand({ UserName: "u" }));
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: "u" }));
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
    await kms.send(new EncryptCommand({ KeyId: KeyMetadata?.KeyId, Plaintext: Buffer.from("kms-secret") }));

    const about = cloud.aws.ledger.entries().filter(({ ids, mutating }) => mutating && ids.includes(volume));
    expect(about.map(({ action, result }) => `${action} ${result}`)).toEqual([
      "CreateVolume ok",
      "AttachVolume ok",
      "AttachVolume VolumeInUse",
      "DetachVolume ok",
    ]);
    expect(about[2]?.answeredBy).toBe("rule: volume attachment");
    const numbers = cloud.aws.ledger.entries().map(({ sequence }) => sequence);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const file = await readFile(path.join(dir, "ledger.jsonl"), "utf8");
    const lines = file.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(cloud.aws.ledger.entries());
    const secrets = [
      userData,
      "ssm-secret",
      AccessKey?.SecretAccessKey ?? "none",
      Buffer.from("kms-secret").toString("base64"),
    ];
    for (const secret of secrets) expect(file).not.toContain(secret);
    const overHttp: unknown = await (
      await fetch(`${cloud.aws.endpoint}/_fleetwright/ledger?after=${lines.length - 1}`)
    ).json();
    expect(overHttp).toEqual(cloud.aws.ledger.entries().slice(-1));

    const kinds = new Set((await cloud.aws.leftovers()).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      "ec2 instance",
      "ec2 key pair",
      "ec2 network interface",
      "ec2 subnet",
      "ec2 volume",
      "ec2 vpc",
      "iam user",
      "kms key",
      "ssm parameter",
    ]);
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));
    await settled("the instance", "terminated", async () => {
      return (await cloud.aws.state()).instances.find(({ id }) => id === instance)?.state;
    });
    await ec2.send(new DeleteVolumeCommand({ VolumeId: volume }));
    for (const SubnetId of cloud.subnets) await ec2.send(new DeleteSubnetCommand({ SubnetId }));
    await ec2.send(new DeleteVpcCommand({ VpcId: cloud.vpcId }));
    await ec2.send(new DeleteKeyPairCommand({ KeyName: "k" }));
    await ssm.send(new DeleteParameterCommand({ Name: "/token" }));
    await iam.send(new DeleteAccessKeyCommand({ UserName: "u", AccessKeyId: AccessKey?.AccessKeyId }));
    await iam.send(new DeleteUserCommand({ UserName: "u" }));
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId: KeyMetadata?.KeyId }));
    expect(await cloud.aws.leftovers()).toEqual([]);
  } finally {
    await cloud.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
