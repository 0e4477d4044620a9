import type { Statement } from "../iam-policy";

/** What servers may do with the bucket of their snapshots: everything in their folder, and nothing else. */
export function bucketStatements(bucketArn: string, folder: string): Statement[] {
  return [
    { actions: ["s3:ListBucket", "s3:GetBucketLocation"], resources: [bucketArn] },
    {
      actions: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
      resources: [`${bucketArn}/${folder}/*`],
    },
  ];
}
