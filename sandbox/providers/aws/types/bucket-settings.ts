import type { LifecycleRule } from "@aws-sdk/client-s3";
import type * as aws from "@pulumi/aws";
import { filled } from "../core/answer";
import { declare, literal } from "../core/declaration";
import { identifies, local, required } from "../core/property";
import { isRecord } from "../core/value";
import { camel, pascal } from "./letter-case";

/** Whether a bucket keeps old versions. */
export const bucketVersioning = declare<aws.s3.BucketVersioningArgs, aws.s3.BucketVersioningState>({
  token: "aws:s3/bucketVersioning:BucketVersioning",
  properties: { bucket: identifies, versioningConfiguration: required },
  async create({ aws }, { bucket, versioningConfiguration: { status, mfaDelete } }) {
    await (
      await aws.s3()
    ).putBucketVersioning({
      Bucket: bucket,
      VersioningConfiguration: { Status: literal(status), MFADelete: literal(mfaDelete) },
    });
    return bucket;
  },
  async read({ aws }, id) {
    const found = await (await aws.s3()).getBucketVersioning({ Bucket: id });
    if (found.Status === undefined) return undefined;
    return {
      bucket: id,
      versioningConfiguration: { mfaDelete: found.MFADelete ?? "", status: found.Status },
    };
  },
  update: async ({ aws }, id, { versioningConfiguration: { status, mfaDelete } }) =>
    (await aws.s3()).putBucketVersioning({
      Bucket: id,
      VersioningConfiguration: { Status: literal(status), MFADelete: literal(mfaDelete) },
    }),
  delete: async ({ aws }, id) =>
    (await aws.s3()).putBucketVersioning({ Bucket: id, VersioningConfiguration: { Status: "Suspended" } }),
});

/** How a bucket encrypts. */
export const bucketEncryption = declare<
  aws.s3.BucketServerSideEncryptionConfigurationArgs,
  aws.s3.BucketServerSideEncryptionConfigurationState
>({
  token: "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
  properties: { bucket: identifies, rules: { required: true, set: true } },
  async create({ aws }, { bucket, rules }) {
    await (
      await aws.s3()
    ).putBucketEncryption({
      Bucket: bucket,
      ServerSideEncryptionConfiguration: { Rules: encryptionRules(rules) },
    });
    return bucket;
  },
  async read({ aws }, id) {
    const { ServerSideEncryptionConfiguration } = await (await aws.s3()).getBucketEncryption({ Bucket: id });
    return {
      bucket: id,
      rules: (ServerSideEncryptionConfiguration?.Rules ?? []).map(
        ({ ApplyServerSideEncryptionByDefault: applied, BucketKeyEnabled }) => ({
          applyServerSideEncryptionByDefault: {
            kmsMasterKeyId: applied?.KMSMasterKeyID ?? "",
            sseAlgorithm: applied?.SSEAlgorithm ?? "",
          },
          bucketKeyEnabled: BucketKeyEnabled ?? false,
        }),
      ),
    };
  },
  update: async ({ aws }, id, { rules }) =>
    (await aws.s3()).putBucketEncryption({
      Bucket: id,
      ServerSideEncryptionConfiguration: { Rules: encryptionRules(rules) },
    }),
  delete: async ({ aws }, id) => (await aws.s3()).deleteBucketEncryption({ Bucket: id }),
});

interface EncryptionRule {
  applyServerSideEncryptionByDefault?:
    { kmsMasterKeyId?: string | undefined; sseAlgorithm: string } | undefined;
  bucketKeyEnabled?: boolean | undefined;
}

function encryptionRules(rules: readonly EncryptionRule[]) {
  return rules.map(({ applyServerSideEncryptionByDefault: applied, bucketKeyEnabled }) => ({
    ApplyServerSideEncryptionByDefault:
      applied === undefined
        ? undefined
        : {
            KMSMasterKeyID: filled(applied.kmsMasterKeyId),
            SSEAlgorithm: literal<"aws:kms">(applied.sseAlgorithm),
          },
    BucketKeyEnabled: bucketKeyEnabled,
  }));
}

/** What may never be public. */
export const bucketPublicAccessBlock = declare<
  aws.s3.BucketPublicAccessBlockArgs,
  aws.s3.BucketPublicAccessBlockState
>({
  token: "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
  properties: {
    blockPublicAcls: { fallback: false },
    blockPublicPolicy: { fallback: false },
    bucket: identifies,
    ignorePublicAcls: { fallback: false },
    restrictPublicBuckets: { fallback: false },
    skipDestroy: local,
  },
  async create({ aws }, inputs) {
    await (
      await aws.s3()
    ).putPublicAccessBlock({ Bucket: inputs.bucket, PublicAccessBlockConfiguration: accessBlock(inputs) });
    return inputs.bucket;
  },
  async read({ aws }, id) {
    const { PublicAccessBlockConfiguration: found } = await (
      await aws.s3()
    ).getPublicAccessBlock({ Bucket: id });
    return {
      blockPublicAcls: found?.BlockPublicAcls ?? false,
      blockPublicPolicy: found?.BlockPublicPolicy ?? false,
      bucket: id,
      ignorePublicAcls: found?.IgnorePublicAcls ?? false,
      restrictPublicBuckets: found?.RestrictPublicBuckets ?? false,
    };
  },
  update: async ({ aws }, id, news) =>
    (await aws.s3()).putPublicAccessBlock({ Bucket: id, PublicAccessBlockConfiguration: accessBlock(news) }),
  async delete({ aws }, id, state) {
    if (state.skipDestroy !== true) await (await aws.s3()).deletePublicAccessBlock({ Bucket: id });
  },
});

function accessBlock(inputs: {
  blockPublicAcls?: boolean | undefined;
  blockPublicPolicy?: boolean | undefined;
  ignorePublicAcls?: boolean | undefined;
  restrictPublicBuckets?: boolean | undefined;
}) {
  return {
    BlockPublicAcls: inputs.blockPublicAcls,
    BlockPublicPolicy: inputs.blockPublicPolicy,
    IgnorePublicAcls: inputs.ignorePublicAcls,
    RestrictPublicBuckets: inputs.restrictPublicBuckets,
  };
}

/** When objects go or move. */
export const bucketLifecycle = declare<
  aws.s3.BucketLifecycleConfigurationArgs,
  aws.s3.BucketLifecycleConfigurationState
>({
  token: "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
  properties: { bucket: identifies, rules: { required: true, exact: true } },
  async create({ aws }, { bucket, rules }) {
    await (
      await aws.s3()
    ).putBucketLifecycleConfiguration({
      Bucket: bucket,
      LifecycleConfiguration: { Rules: lifecycleRules(rules) },
    });
    return bucket;
  },
  async read({ aws }, id) {
    const { Rules } = await (await aws.s3()).getBucketLifecycleConfiguration({ Bucket: id });
    return {
      bucket: id,
      rules: (Rules ?? []).map((rule) => camel<{ id: string; status: string }>(rule, LIFECYCLE)),
    };
  },
  update: async ({ aws }, id, { rules }) =>
    (await aws.s3()).putBucketLifecycleConfiguration({
      Bucket: id,
      LifecycleConfiguration: { Rules: lifecycleRules(rules) },
    }),
  delete: async ({ aws }, id) => (await aws.s3()).deleteBucketLifecycle({ Bucket: id }),
});

const LIFECYCLE = { id: "ID" };

function lifecycleRules(rules: readonly { filter?: unknown }[] | undefined): LifecycleRule[] {
  return (rules ?? []).map((rule) => {
    const whole =
      rule.filter === undefined || (isRecord(rule.filter) && Object.keys(rule.filter).length === 0);
    return pascal<LifecycleRule>({ ...rule, filter: whole ? { prefix: "" } : rule.filter }, LIFECYCLE);
  });
}

/** Who may use a bucket. */
export const bucketPolicy = declare<aws.s3.BucketPolicyArgs, aws.s3.BucketPolicyState>({
  token: "aws:s3/bucketPolicy:BucketPolicy",
  properties: { bucket: identifies, policy: { required: true, json: true } },
  async create({ aws }, { bucket, policy }) {
    await (await aws.s3()).putBucketPolicy({ Bucket: bucket, Policy: text(policy) });
    return bucket;
  },
  async read({ aws }, id) {
    const { Policy } = await (await aws.s3()).getBucketPolicy({ Bucket: id });
    return { bucket: id, policy: Policy };
  },
  update: async ({ aws }, id, { policy }) =>
    (await aws.s3()).putBucketPolicy({ Bucket: id, Policy: text(policy) }),
  delete: async ({ aws }, id) => (await aws.s3()).deleteBucketPolicy({ Bucket: id }),
});

function text(policy: unknown): string {
  return typeof policy === "string" ? policy : JSON.stringify(policy);
}

/** Who owns what others put into a bucket. */
export const bucketOwnership = declare<
  aws.s3.BucketOwnershipControlsArgs,
  aws.s3.BucketOwnershipControlsState
>({
  token: "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
  properties: { bucket: identifies, rule: required },
  async create({ aws }, { bucket, rule }) {
    await (
      await aws.s3()
    ).putBucketOwnershipControls({
      Bucket: bucket,
      OwnershipControls: { Rules: [{ ObjectOwnership: literal(rule.objectOwnership) }] },
    });
    return bucket;
  },
  async read({ aws }, id) {
    const { OwnershipControls } = await (await aws.s3()).getBucketOwnershipControls({ Bucket: id });
    return { bucket: id, rule: { objectOwnership: OwnershipControls?.Rules?.[0]?.ObjectOwnership ?? "" } };
  },
  update: async ({ aws }, id, { rule }) =>
    (await aws.s3()).putBucketOwnershipControls({
      Bucket: id,
      OwnershipControls: { Rules: [{ ObjectOwnership: literal(rule.objectOwnership) }] },
    }),
  delete: async ({ aws }, id) => (await aws.s3()).deleteBucketOwnershipControls({ Bucket: id }),
});
