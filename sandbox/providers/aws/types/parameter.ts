import type * as aws from "@pulumi/aws";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { chosen, chosenOnce, local, updates } from "../core/property";
import { fromTagList, tagList } from "../core/tags";

type Args = Plain<aws.ssm.ParameterArgs>;

/** A value in the parameter store. */
export const parameter = declare<aws.ssm.ParameterArgs, aws.ssm.ParameterState>({
  token: "aws:ssm/parameter:Parameter",
  properties: {
    allowedPattern: updates,
    dataType: chosen,
    description: updates,
    insecureValue: { computed: true },
    keyId: chosen,
    name: chosenOnce,
    overwrite: local,
    tier: { fallback: "Standard", oneOf: ["Standard", "Advanced", "Intelligent-Tiering"] },
    type: { required: true, oneOf: ["String", "StringList", "SecureString"] },
    value: { computed: true },
  },
  name: { property: "name", maxLength: 2048 },
  tagging: {
    set: async ({ aws }, ResourceId, _state, tags) =>
      (await aws.ssm()).addTagsToResource({ ResourceType: "Parameter", ResourceId, Tags: tagList(tags) }),
    remove: async ({ aws }, ResourceId, _state, TagKeys) =>
      (await aws.ssm()).removeTagsFromResource({
        ResourceType: "Parameter",
        ResourceId,
        TagKeys: [...TagKeys],
      }),
  },
  check: ({ value, insecureValue }) =>
    (value ?? insecureValue) === undefined ? ["A parameter needs value or insecureValue"] : [],
  async create({ aws }, inputs) {
    const name = inputs.name ?? "";
    await (
      await aws.ssm()
    ).putParameter({
      ...settings(inputs, name),
      Overwrite: inputs.overwrite,
      ...(tagList(inputs.tags).length > 0 ? { Tags: tagList(inputs.tags) } : {}),
    });
    return name;
  },
  async read({ aws }, id, known) {
    const ssm = await aws.ssm();
    const { Parameter: found } = await ssm.getParameter({ Name: id, WithDecryption: true });
    if (found === undefined) return undefined;
    const { Parameters } = await ssm.describeParameters({
      ParameterFilters: [{ Key: "Name", Option: "Equals", Values: [id] }],
    });
    const details = Parameters?.[0];
    const { TagList } = await ssm.listTagsForResource({ ResourceType: "Parameter", ResourceId: id });
    return {
      allowedPattern: details?.AllowedPattern ?? "",
      arn: found.ARN,
      dataType: found.DataType,
      description: details?.Description ?? "",
      ...(known.insecureValue === undefined ? {} : { insecureValue: found.Value }),
      keyId: details?.KeyId ?? "",
      name: found.Name,
      tags: fromTagList(TagList),
      tier: details?.Tier ?? "Standard",
      type: found.Type,
      value: found.Value,
      version: found.Version,
    };
  },
  update: async ({ aws }, id, news) =>
    (await aws.ssm()).putParameter({ ...settings(news, id), Overwrite: true }),
  delete: async ({ aws }, id) => (await aws.ssm()).deleteParameter({ Name: id }),
});

function settings(inputs: Args, Name: string) {
  return {
    AllowedPattern: inputs.allowedPattern,
    DataType: inputs.dataType,
    Description: inputs.description,
    KeyId: inputs.type === "SecureString" ? inputs.keyId : undefined,
    Name,
    Tier: literal<"Standard">(inputs.tier),
    Type: literal<"String">(inputs.type),
    Value: inputs.value ?? inputs.insecureValue,
  };
}
