// The state of a stack in a bucket that somebody has, and its secrets under a key that somebody has: what docs/how-to/aws.md
// asks for. The engine finds both by AWS's own variables.
import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { startAws, type Aws } from "../../sandbox/aws";
import { Engine } from "../harness/engine";

let aws: Aws;
let engine: Engine;
beforeAll(async () => {
  aws = await startAws();
  engine = await Engine.open();
});
afterAll(async () => {
  await engine.close();
  await aws.stop();
});

it("lies in the bucket, and no secret in it can be read without the key", async () => {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const settings = { endpoint: aws.endpoint, region: "eu-central-1", credentials };
  const s3 = new S3Client({ ...settings, forcePathStyle: true });
  const kms = new KMSClient(settings);
  const location = { LocationConstraint: "eu-central-1" } as const;
  await s3.send(new CreateBucketCommand({ Bucket: "acme-state", CreateBucketConfiguration: location }));
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
  const environment = {
    ...aws.environment,
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL: aws.endpoint,
    PULUMI_BACKEND_URL: "s3://acme-state?region=eu-central-1&use_path_style=true",
  };
  const folder = engine.program("facts");
  const run = (...args: string[]): Promise<string> => engine.expect(args, folder, environment);
  await run(
    "stack",
    "init",
    "acme",
    "--secrets-provider",
    `awskms:///${KeyMetadata?.Arn ?? ""}?region=eu-central-1`,
  );
  await run("config", "set", "--secret", "hidden", "swordfish");
  expect(await run("config", "get", "hidden")).toBe("swordfish\n");
  await run("stack", "export", "--file", engine.path("state.json"));
  await run("stack", "import", "--file", engine.path("state.json"));
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "acme-state" }));
  const keys = Contents.map(({ Key = "" }) => Key).filter((key) => key.endsWith("acme.json"));
  expect(keys).toHaveLength(1);
  const state = await s3.send(new GetObjectCommand({ Bucket: "acme-state", Key: keys[0] }));
  const text = (await state.Body?.transformToString()) ?? "";
  expect(text).toContain("awskms:///");
  expect(text).not.toContain("swordfish");
  s3.destroy();
  kms.destroy();
});
