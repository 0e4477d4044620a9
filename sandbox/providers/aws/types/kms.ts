import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { AwsContext } from "../core/context";
import { declare, literal } from "../core/declaration";
import { chosen, chosenOnce, local, replaces, required } from "../core/property";
import type { Tags } from "../core/tags";

/** A key that AWS keeps. */
export const kmsKey = declare<aws.kms.KeyArgs, aws.kms.KeyState>({
  token: "aws:kms/key:Key",
  properties: {
    bypassPolicyLockoutSafetyCheck: { ...local, fallback: false },
    customerMasterKeySpec: { replaces: true, fallback: "SYMMETRIC_DEFAULT" },
    deletionWindowInDays: local,
    description: chosen,
    enableKeyRotation: { fallback: false },
    isEnabled: { fallback: true },
    keyUsage: { replaces: true, fallback: "ENCRYPT_DECRYPT" },
    multiRegion: chosenOnce,
    policy: { ...chosen, json: true },
    rotationPeriodInDays: chosen,
  },
  tagging: {
    set: async ({ aws }, KeyId, _state, tags) =>
      (await aws.kms()).tagResource({ KeyId, Tags: kmsTags(tags) }),
    remove: async ({ aws }, KeyId, _state, TagKeys) =>
      (await aws.kms()).untagResource({ KeyId, TagKeys: [...TagKeys] }),
  },
  async create(context, inputs) {
    const kms = await context.aws.kms();
    const { KeyMetadata } = await kms.createKey({
      Description: inputs.description,
      KeySpec: literal(inputs.customerMasterKeySpec),
      KeyUsage: literal(inputs.keyUsage),
      MultiRegion: inputs.multiRegion,
      Policy: inputs.policy,
      ...(inputs.tags === undefined ? {} : { Tags: kmsTags(inputs.tags) }),
    });
    const id = context.started(given(KeyMetadata?.KeyId, "the id of the key"));
    await setRotation(context, id, inputs);
    if (inputs.isEnabled === false) await kms.disableKey({ KeyId: id });
    return id;
  },
  async read({ aws }, id) {
    const kms = await aws.kms();
    const { KeyMetadata: found } = await kms.describeKey({ KeyId: id });
    if (found === undefined || found.KeyState === "PendingDeletion") return undefined;
    const [policy, tags, rotation] = await Promise.all([
      kms.getKeyPolicy({ KeyId: id, PolicyName: "default" }),
      kms.listResourceTags({ KeyId: id }),
      found.KeySpec === "SYMMETRIC_DEFAULT" ? kms.getKeyRotationStatus({ KeyId: id }) : undefined,
    ]);
    return {
      arn: found.Arn,
      customerMasterKeySpec: found.KeySpec,
      description: found.Description ?? "",
      enableKeyRotation: rotation?.KeyRotationEnabled ?? false,
      isEnabled: found.Enabled,
      keyId: found.KeyId,
      keyUsage: found.KeyUsage,
      multiRegion: found.MultiRegion ?? false,
      policy: policy.Policy,
      ...(rotation?.KeyRotationEnabled === true
        ? { rotationPeriodInDays: rotation.RotationPeriodInDays }
        : {}),
      tags: Object.fromEntries(
        (tags.Tags ?? []).map(({ TagKey, TagValue }) => [TagKey ?? "", TagValue ?? ""]),
      ),
    };
  },
  async update(context, id, news, { has }) {
    const kms = await context.aws.kms();
    // A key that is disabled takes no other change.
    if (has("isEnabled") && news.isEnabled === true) await kms.enableKey({ KeyId: id });
    if (has("description"))
      await kms.updateKeyDescription({ KeyId: id, Description: news.description ?? "" });
    if (has("policy") && news.policy !== undefined)
      await kms.putKeyPolicy({ KeyId: id, PolicyName: "default", Policy: news.policy });
    if (has("enableKeyRotation", "rotationPeriodInDays")) await setRotation(context, id, news);
    if (has("isEnabled") && news.isEnabled === false) await kms.disableKey({ KeyId: id });
  },
  async delete({ aws }, id, state) {
    const kms = await aws.kms();
    const { KeyMetadata } = await kms.describeKey({ KeyId: id });
    if (KeyMetadata?.KeyState === "PendingDeletion") return;
    await kms.scheduleKeyDeletion({ KeyId: id, PendingWindowInDays: state.deletionWindowInDays ?? 30 });
  },
});

async function setRotation(
  { aws }: AwsContext,
  id: string,
  inputs: { enableKeyRotation?: boolean | undefined; rotationPeriodInDays?: number | undefined },
): Promise<void> {
  const kms = await aws.kms();
  if (inputs.enableKeyRotation === true)
    await kms.enableKeyRotation({ KeyId: id, RotationPeriodInDays: inputs.rotationPeriodInDays });
  else if (
    (await kms.getKeyRotationStatus({ KeyId: id }).catch(() => undefined))?.KeyRotationEnabled === true
  )
    await kms.disableKeyRotation({ KeyId: id });
}

function kmsTags(tags: Tags) {
  return Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue }));
}

/** Another name of a key. */
export const kmsAlias = declare<aws.kms.AliasArgs, aws.kms.AliasState>({
  token: "aws:kms/alias:Alias",
  properties: {
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    targetKeyId: { ...required, normal: (value) => String(value).split("/").at(-1) },
  },
  name: { property: "name", maxLength: 256, prefix: "alias/", prefixProperty: "namePrefix" },
  async create({ aws }, inputs) {
    const AliasName = inputs.name ?? `${inputs.namePrefix ?? "alias/"}${Date.now().toString(16)}`;
    await (await aws.kms()).createAlias({ AliasName, TargetKeyId: inputs.targetKeyId });
    return AliasName;
  },
  async read({ aws }, id) {
    const kms = await aws.kms();
    for (let Marker: string | undefined; ;) {
      const page = await kms.listAliases({ Marker });
      const found = page.Aliases?.find(({ AliasName }) => AliasName === id);
      if (found !== undefined) {
        const { KeyMetadata } = await kms.describeKey({ KeyId: found.TargetKeyId });
        return {
          arn: found.AliasArn,
          name: found.AliasName,
          targetKeyArn: KeyMetadata?.Arn,
          targetKeyId: found.TargetKeyId,
        };
      }
      Marker = page.NextMarker;
      if (page.Truncated !== true) return undefined;
    }
  },
  update: async ({ aws }, id, news) =>
    (await aws.kms()).updateAlias({ AliasName: id, TargetKeyId: news.targetKeyId }),
  delete: async ({ aws }, id) => (await aws.kms()).deleteAlias({ AliasName: id }),
});
