import type { LogGroup as Found } from "@aws-sdk/client-cloudwatch-logs";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import { declare, literal } from "../core/declaration";
import { chosenOnce, local, replaces, updates } from "../core/property";

/** Where logs go. */
export const logGroup = declare<aws.cloudwatch.LogGroupArgs, aws.cloudwatch.LogGroupState>({
  token: "aws:cloudwatch/logGroup:LogGroup",
  properties: {
    kmsKeyId: updates,
    logGroupClass: chosenOnce,
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    retentionInDays: { fallback: 0 },
    skipDestroy: { ...local, fallback: false },
  },
  name: { property: "name", maxLength: 512, prefixProperty: "namePrefix" },
  tagging: {
    set: async ({ aws }, _id, state, tags) =>
      (await aws.logs()).tagResource({ resourceArn: String(state.arn), tags: { ...tags } }),
    remove: async ({ aws }, _id, state, tagKeys) =>
      (await aws.logs()).untagResource({ resourceArn: String(state.arn), tagKeys: [...tagKeys] }),
  },
  async create(context, inputs) {
    const logs = await context.aws.logs();
    const logGroupName = inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`;
    await logs.createLogGroup({
      kmsKeyId: inputs.kmsKeyId,
      logGroupClass: literal(inputs.logGroupClass),
      logGroupName,
      ...(inputs.tags === undefined || Object.keys(inputs.tags).length === 0 ? {} : { tags: inputs.tags }),
    });
    context.started(logGroupName);
    if ((inputs.retentionInDays ?? 0) > 0)
      await logs.putRetentionPolicy({ logGroupName, retentionInDays: inputs.retentionInDays });
    return logGroupName;
  },
  async read(context, id) {
    const found = await described(context, id);
    if (found === undefined) return undefined;
    const arn = found.arn?.replace(/:\*$/, "");
    const { tags } = await (await context.aws.logs()).listTagsForResource({ resourceArn: arn });
    return {
      arn,
      kmsKeyId: found.kmsKeyId ?? "",
      logGroupClass: found.logGroupClass ?? "STANDARD",
      name: found.logGroupName,
      retentionInDays: found.retentionInDays ?? 0,
      tags,
    };
  },
  async update({ aws }, logGroupName, news, { has }) {
    const logs = await aws.logs();
    if (has("retentionInDays")) {
      await ((news.retentionInDays ?? 0) > 0
        ? logs.putRetentionPolicy({ logGroupName, retentionInDays: news.retentionInDays })
        : logs.deleteRetentionPolicy({ logGroupName }));
    }
    if (has("kmsKeyId")) {
      await (news.kmsKeyId === undefined
        ? logs.disassociateKmsKey({ logGroupName })
        : logs.associateKmsKey({ logGroupName, kmsKeyId: news.kmsKeyId }));
    }
  },
  async delete({ aws }, logGroupName, state) {
    if (state.skipDestroy !== true) await (await aws.logs()).deleteLogGroup({ logGroupName });
  },
});

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  const logs = await aws.logs();
  for (let nextToken: string | undefined; ;) {
    const page = await logs.describeLogGroups({ logGroupNamePrefix: id, nextToken });
    const found = page.logGroups?.find(({ logGroupName }) => logGroupName === id);
    nextToken = page.nextToken;
    if (found !== undefined || nextToken === undefined) return found;
  }
}
