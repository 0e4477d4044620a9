import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { clientsFor, CREDENTIALS, startAws, type Aws } from "../../../aws";
import { SnapshotBucket } from "./s3";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-snapshots-"));
let aws: Aws;

beforeAll(async () => {
  aws = await startAws({ dir: path.join(work, "aws") });
  const clients = clientsFor(aws.endpoint, "eu-central-1");
  const location = { LocationConstraint: "eu-central-1" } as const;
  await clients.s3.send(
    new CreateBucketCommand({ Bucket: "snapshots", CreateBucketConfiguration: location }),
  );
  clients.close();
});
afterAll(async () => {
  await aws.stop();
  await rm(work, { recursive: true });
});

test("a snapshot goes to the bucket's folder, is listed, comes back the same and is deleted", async () => {
  const bucket = await SnapshotBucket.open({
    ...{
      endpoint: new URL(aws.endpoint).host,
      bucket: "snapshots",
      region: "eu-central-1",
      folder: "prod/",
      retention: 5,
    },
    ...{ accessKey: CREDENTIALS.accessKeyId, secretKey: CREDENTIALS.secretAccessKey },
    ...{ skipVerify: false, insecure: true, pathStyle: true },
  });
  const [file, copy] = [path.join(work, "snapshot"), path.join(work, "copy")];
  writeFileSync(file, Buffer.alloc(3 << 20, "etcd"));
  await bucket.put("s-n-1", file);
  expect(await bucket.list()).toMatchObject([{ name: "s-n-1", size: 3 << 20 }]);
  await bucket.fetch("s-n-1", copy);
  expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
  await bucket.remove("s-n-1");
  expect(await bucket.list()).toEqual([]);
});
