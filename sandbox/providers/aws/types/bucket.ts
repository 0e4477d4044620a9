import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import { declare, literal } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosenOnce, local, replaces } from "../core/property";
import { fromTagList, tagList, tagsOf } from "../core/tags";

/** A bucket. Its settings are types of their own; the older form with everything in one place is not known here. */
export const bucket = declare<aws.s3.BucketArgs, aws.s3.BucketState>({
  token: "aws:s3/bucket:Bucket",
  properties: {
    bucket: chosenOnce,
    bucketPrefix: { ...replaces, local: true },
    forceDestroy: { ...local, fallback: false },
    objectLockEnabled: chosenOnce,
  },
  name: { property: "bucket", maxLength: 63, prefixProperty: "bucketPrefix", lowerCase: true },
  tagging: {
    set: (context, id, state, tags) => changeTags(context, id, { ...tagsOf(state.tagsAll), ...tags }),
    remove: removeTags,
  },
  async create(context, inputs) {
    const s3 = await context.aws.s3();
    const Bucket = inputs.bucket ?? `${inputs.bucketPrefix ?? ""}${Date.now().toString(16)}`;
    await s3.createBucket({
      Bucket,
      ...(context.region === "us-east-1"
        ? {}
        : { CreateBucketConfiguration: { LocationConstraint: literal(context.region) } }),
      ObjectLockEnabledForBucket: inputs.objectLockEnabled,
    });
    context.started(Bucket);
    if (tagList(inputs.tags).length > 0)
      await s3.putBucketTagging({ Bucket, Tagging: { TagSet: tagList(inputs.tags) } });
    return Bucket;
  },
  async read({ aws, region, partition }, id, known) {
    const s3 = await aws.s3();
    await s3.headBucket({ Bucket: id });
    const tags = await s3.getBucketTagging({ Bucket: id }).catch((error: unknown) => {
      if (Reflect.get(Object(error), "name") === "NoSuchTagSet") return { TagSet: [] };
      throw error;
    });
    const suffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
    return {
      arn: `arn:${partition}:s3:::${id}`,
      bucket: id,
      bucketDomainName: `${id}.s3.${suffix}`,
      bucketRegion: region,
      bucketRegionalDomainName: `${id}.s3.${region}.${suffix}`,
      objectLockEnabled: known.objectLockEnabled ?? false,
      tags: fromTagList(tags.TagSet),
    };
  },
  async delete({ aws }, id, state) {
    const s3 = await aws.s3();
    if (state.forceDestroy === true) await empty({ aws }, id);
    await s3.deleteBucket({ Bucket: id });
  },
});

async function changeTags(
  { aws }: Pick<AwsContext, "aws">,
  id: string,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const s3 = await aws.s3();
  await (Object.keys(tags).length === 0
    ? s3.deleteBucketTagging({ Bucket: id })
    : s3.putBucketTagging({ Bucket: id, Tagging: { TagSet: tagList(tags) } }));
}

/** S3 sets all tags of a bucket at once, so the ones to keep are asked for first. */
async function removeTags(
  { aws }: AwsContext,
  id: string,
  _state: unknown,
  keys: readonly string[],
): Promise<void> {
  const { TagSet } = await (await aws.s3()).getBucketTagging({ Bucket: id });
  const kept = Object.entries(fromTagList(TagSet)).filter(([key]) => !keys.includes(key));
  await changeTags({ aws }, id, Object.fromEntries(kept));
}

/** Deletes every version of every object. */
async function empty({ aws }: Pick<AwsContext, "aws">, Bucket: string): Promise<void> {
  const s3 = await aws.s3();
  for (;;) {
    const page = await s3.listObjectVersions({ Bucket }).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    const Objects = [...(page?.Versions ?? []), ...(page?.DeleteMarkers ?? [])].flatMap(
      ({ Key, VersionId }) => (Key === undefined ? [] : [{ Key, VersionId }]),
    );
    if (Objects.length === 0) return;
    await s3.deleteObjects({ Bucket, Delete: { Objects } });
  }
}
