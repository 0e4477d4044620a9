import type * as aws from "@pulumi/aws";
import type { ExampleDependencies } from "./example";
import { example } from "./example";

const bucket = async (fixture: ExampleDependencies, name: string): Promise<string> =>
  (await fixture.need("aws:s3/bucket:Bucket", name, {})).id;

const readable = (name: string, Action: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Sid: "a", Effect: "Deny", Principal: "*", Action, Resource: `arn:aws:s3:::${name}/*` }],
  });

const copies = (times: string, count: number) => ({
  resourceTypes: ["VOLUME"],
  targetTags: { "example.com/Copied": "yes" },
  schedules: [
    {
      name: "daily",
      copyTags: true,
      createRule: { interval: 24, intervalUnit: "HOURS", times },
      retainRule: { count },
      tagsToAdd: { "made-by": "example" },
    },
  ],
});

/** The types of S3, and copies of volumes. */
export const storage = [
  example<aws.dlm.LifecyclePolicyArgs>({
    token: "aws:dlm/lifecyclePolicy:LifecyclePolicy",
    inputs: async (fixture) => ({
      description: "Example",
      executionRoleArn: String((await fixture.role()).state.arn),
      policyDetails: copies("03:00", 7),
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      description: "Another example",
      executionRoleArn: String((await fixture.role("copier")).state.arn),
      policyDetails: copies("04:30", 3),
      state: "DISABLED",
    }),
  }),
  example<aws.s3.BucketArgs>({
    token: "aws:s3/bucket:Bucket",
    inputs: () => ({ forceDestroy: true, tags: { Name: "example" } }),
    updates: () => ({}),
  }),
  example<aws.s3.BucketVersioningArgs>({
    token: "aws:s3/bucketVersioning:BucketVersioning",
    inputs: async (fixture) => ({
      bucket: await bucket(fixture, "versioned"),
      versioningConfiguration: { status: "Enabled" },
    }),
    updates: () => ({ versioningConfiguration: { status: "Suspended" } }),
    stays: true,
  }),
  example<aws.s3.BucketServerSideEncryptionConfigurationArgs>({
    token: "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    inputs: async (fixture) => ({
      bucket: await bucket(fixture, "encrypted"),
      rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
    }),
    updates: async (fixture) => ({
      rules: [
        {
          applyServerSideEncryptionByDefault: {
            sseAlgorithm: "aws:kms",
            kmsMasterKeyId: String((await fixture.need("aws:kms/key:Key", "key", {})).state.arn),
          },
          bucketKeyEnabled: true,
        },
      ],
    }),
  }),
  example<aws.s3.BucketPublicAccessBlockArgs>({
    token: "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    inputs: async (fixture) => ({
      bucket: await bucket(fixture, "private"),
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    }),
    updates: () => ({
      blockPublicAcls: false,
      blockPublicPolicy: false,
      ignorePublicAcls: false,
      restrictPublicBuckets: false,
    }),
  }),
  example<aws.s3.BucketLifecycleConfigurationArgs>({
    token: "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    inputs: async (fixture) => ({
      bucket: await bucket(fixture, "tidy"),
      rules: [
        {
          id: "old",
          status: "Enabled",
          expiration: { days: 30 },
          noncurrentVersionExpiration: { noncurrentDays: 7 },
        },
      ],
    }),
    updates: () => ({ rules: [{ id: "old", status: "Enabled", expiration: { days: 60 } }] }),
  }),
  example<aws.s3.BucketPolicyArgs>({
    token: "aws:s3/bucketPolicy:BucketPolicy",
    inputs: async (fixture) => ({
      bucket: await bucket(fixture, "guarded"),
      policy: readable(await bucket(fixture, "guarded"), "s3:GetObject"),
    }),
    updates: async (fixture) => ({ policy: readable(await bucket(fixture, "guarded"), "s3:PutObject") }),
  }),
  example<aws.s3.BucketOwnershipControlsArgs>({
    token: "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
    inputs: async (fixture) => ({
      bucket: await bucket(fixture, "owned"),
      rule: { objectOwnership: "BucketOwnerEnforced" },
    }),
    updates: () => ({ rule: { objectOwnership: "BucketOwnerPreferred" } }),
  }),
];
