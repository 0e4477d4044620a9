import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { AttachVolumeCommand, CreateVpcCommand, DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import { CreateAddonCommand, CreateClusterCommand, DescribeAddonCommand } from "@aws-sdk/client-eks";
import {
  AttachRolePolicyCommand,
  CreateRoleCommand,
  ListAttachedRolePoliciesCommand,
} from "@aws-sdk/client-iam";
import { CreateKeyCommand, DecryptCommand, EncryptCommand } from "@aws-sdk/client-kms";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { GetParameterCommand, PutParameterCommand } from "@aws-sdk/client-ssm";
import { waitFor } from "../../lib/deadline";
import { startAws } from "./aws";
import { clientsFor } from "./clients";
import { openAwsFixture, settled } from "./testing/aws-fixture";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fleetwright-aws-test-"));
});
afterEach(async () => rm(dir, { recursive: true, force: true }));

test("after kill -9 of moto everything is there again, with the same ids and the same address", async () => {
  const before = await openAwsFixture({ dir });
  const instance = await before.run({ UserData: Buffer.from("#!/bin/sh\n").toString("base64") });
  const volume = await before.volume();
  await before.ec2.send(
    new AttachVolumeCommand({ VolumeId: volume, InstanceId: instance, Device: "/dev/sdf" }),
  );
  const trust = { Effect: "Allow", Principal: { Service: "eks.amazonaws.com" }, Action: "sts:AssumeRole" };
  const document = JSON.stringify({ Version: "2012-10-17", Statement: [trust] });
  const { Role } = await before.iam.send(
    new CreateRoleCommand({ RoleName: "r", AssumeRolePolicyDocument: document }),
  );
  const PolicyArn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy";
  await before.iam.send(new AttachRolePolicyCommand({ RoleName: "r", PolicyArn }));
  await before.s3.send(new CreateBucketCommand({ Bucket: "kept-bucket" }));
  await before.s3.send(new PutObjectCommand({ Bucket: "kept-bucket", Key: "a/b", Body: "content" }));
  await before.ssm.send(
    new PutParameterCommand({ Name: "/token", Value: "s3cret-value", Type: "SecureString" }),
  );
  const KeyId = (await before.kms.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId;
  const sealed = await before.kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from("plain") }));
  const network = { subnetIds: [...before.subnets] };
  await before.eks.send(
    new CreateClusterCommand({ name: "c", roleArn: Role?.Arn ?? "", resourcesVpcConfig: network }),
  );
  await before.eks.send(new CreateAddonCommand({ clusterName: "c", addonName: "coredns" }));
  await settled("the attachment", "attached", async () => {
    const { volumes } = await before.aws.state();
    return volumes.find(({ id }) => id === volume)?.attachments[0]?.state;
  });
  const [state, leftovers] = [await before.aws.state(), await before.aws.leftovers()];
  const last = before.aws.ledger.entries().at(-1)?.sequence ?? 0;
  process.kill(before.aws.motoProcess.pid, "SIGKILL");
  await before.stop();

  const after = await startAws({ dir });
  const clients = clientsFor(after.endpoint, after.region);
  try {
    expect(after.endpoint).toBe(before.aws.endpoint);
    expect(await after.state()).toEqual(state);
    expect(await after.leftovers()).toEqual(leftovers);
    expect(leftovers.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["ec2 volume", "eks cluster"]));
    const policies = await clients.iam.send(new ListAttachedRolePoliciesCommand({ RoleName: "r" }));
    expect(policies.AttachedPolicies?.map((policy) => policy.PolicyArn)).toEqual([PolicyArn]);
    const object = await clients.s3.send(new GetObjectCommand({ Bucket: "kept-bucket", Key: "a/b" }));
    expect(await object.Body?.transformToString()).toBe("content");
    const parameter = await clients.ssm.send(
      new GetParameterCommand({ Name: "/token", WithDecryption: true }),
    );
    expect(parameter.Parameter?.Value).toBe("s3cret-value");
    const opened = await clients.kms.send(new DecryptCommand({ CiphertextBlob: sealed.CiphertextBlob }));
    expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe("plain");
    const addon = await clients.eks.send(
      new DescribeAddonCommand({ clusterName: "c", addonName: "coredns" }),
    );
    expect(addon.addon?.addonName).toBe("coredns");
    expect(after.ledger.entries().at(-1)?.sequence).toBeGreaterThan(last);
    const written = await readFile(path.join(dir, "ledger.jsonl"), "utf8");
    expect(written).not.toMatch(/s3cret-value|plain"|IyEvYmluL3No/);
  } finally {
    clients.close();
    await after.stop();
  }
});

test("a detached moto that lost its owner is replaced by the next start, with the same state", async () => {
  const before = await openAwsFixture({ dir, lifetime: "detached" });
  before.close();
  const { pid } = before.aws.motoProcess;
  const after = await startAws({ dir });
  try {
    expect(isAlive(String(pid))).toBe(false);
    expect((await after.leftovers()).map(({ id }) => id)).toContain(before.vpcId);
  } finally {
    await after.stop();
    await before.aws.stop();
  }
});

test("every change that was answered survives kill -9 of the HTTP front end and moto at any time", async () => {
  // Another process hosts the HTTP front end and makes VPCs as fast as it can; it prints each one once it was answered.
  const host = `
    const { startAws } = require(${JSON.stringify(__dirname)});
    const { clientsFor } = require(${JSON.stringify(path.join(__dirname, "clients"))});
    const { CreateVpcCommand } = require("@aws-sdk/client-ec2");
    startAws({ dir: ${JSON.stringify(dir)} }).then(async (aws) => {
      const { ec2 } = clientsFor(aws.endpoint, aws.region);
      console.log("moto " + aws.motoProcess.pid);
      for (let n = 0; ; n++) {
        const made = await Promise.all([0, 1, 2].map((m) => ec2.send(new CreateVpcCommand({ CidrBlock: "10." + (n % 250) + "." + m + ".0/24" }))));
        console.log(made.map(({ Vpc }) => Vpc.VpcId).join("\\n"));
      }
    });`;
  const child = spawn(process.execPath, ["--require", "tsx/cjs", "-e", host], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await waitFor("a dozen VPCs", () => output.split("vpc-").length > 12, { timeoutMs: 120_000 });
  child.kill("SIGKILL");
  await ended;
  // moto ends with its owner.
  const pid = /moto (\d+)/.exec(output)?.[1] ?? "";
  await waitFor("moto to end with its owner", () => !isAlive(pid), { timeoutMs: 120_000 });

  const answered = output.match(/vpc-[0-9a-f]{17}/g) ?? [];
  const aws = await startAws({ dir });
  const clients = clientsFor(aws.endpoint, aws.region);
  try {
    const found = await clients.ec2.send(new DescribeVpcsCommand({}));
    expect(found.Vpcs?.map(({ VpcId }) => VpcId)).toEqual(expect.arrayContaining(answered));
    expect(answered.length).toBeGreaterThan(11);
    await clients.ec2.send(new CreateVpcCommand({ CidrBlock: "10.255.0.0/16" }));
  } finally {
    clients.close();
    await aws.stop();
  }
});

function isAlive(pid: string): boolean {
  const state = execFileSync("sh", ["-c", `ps -o stat= -p ${pid} || true`], { encoding: "utf8" }).trim();
  return state !== "" && !state.startsWith("Z");
}
