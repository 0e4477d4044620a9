import type { RequestLaunchTemplateData } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { Plain } from "../core/declaration";
import { declare } from "../core/declaration";
import { chosen, chosenOnce, local, updates } from "../core/property";
import { fromTagList, tagsOf } from "../core/tags";
import type { Values } from "../core/value";
import { definedValues, isRecord } from "../core/value";
import { ec2Tagging, tagged } from "./ec2-tags";
import { camel, pascal } from "./letter-case";

/** The properties that make up a version of the template. */
const DATA = [
  "blockDeviceMappings",
  "creditSpecification",
  "disableApiTermination",
  "ebsOptimized",
  "iamInstanceProfile",
  "imageId",
  "instanceInitiatedShutdownBehavior",
  "instanceType",
  "keyName",
  "metadataOptions",
  "monitoring",
  "networkInterfaces",
  "placement",
  "tagSpecifications",
  "userData",
  "vpcSecurityGroupIds",
] as const satisfies readonly (keyof aws.ec2.LaunchTemplateArgs)[];

/** Where Pulumi and EC2 use different words. */
const NAMES = { vpcSecurityGroupIds: "SecurityGroupIds", securityGroups: "Groups" };

/** What an auto scaling or node group starts instances from. */
export const launchTemplate = declare<aws.ec2.LaunchTemplateArgs, aws.ec2.LaunchTemplateState>({
  token: "aws:ec2/launchTemplate:LaunchTemplate",
  properties: {
    blockDeviceMappings: { exact: true },
    creditSpecification: updates,
    defaultVersion: chosen,
    description: updates,
    disableApiTermination: updates,
    ebsOptimized: updates,
    iamInstanceProfile: { exact: true },
    imageId: updates,
    instanceInitiatedShutdownBehavior: updates,
    instanceType: updates,
    keyName: updates,
    metadataOptions: chosen,
    monitoring: updates,
    name: chosenOnce,
    namePrefix: { replaces: true, local: true },
    networkInterfaces: { exact: true },
    placement: updates,
    tagSpecifications: { exact: true },
    updateDefaultVersion: local,
    userData: updates,
    vpcSecurityGroupIds: { set: true },
  },
  name: { property: "name", maxLength: 125, prefixProperty: "namePrefix" },
  tagging: ec2Tagging,
  async create({ aws, token }, inputs) {
    const { LaunchTemplate } = await (
      await aws.ec2()
    ).createLaunchTemplate({
      ClientToken: token,
      LaunchTemplateData: dataOf(inputs),
      LaunchTemplateName: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      TagSpecifications: tagged("launch-template", inputs.tags),
      VersionDescription: inputs.description,
    });
    return given(LaunchTemplate?.LaunchTemplateId, "the id of the launch template");
  },
  async read({ aws, region, partition, account }, id) {
    const ec2 = await aws.ec2();
    const { LaunchTemplates } = await ec2.describeLaunchTemplates({ LaunchTemplateIds: [id] });
    const found = LaunchTemplates?.[0];
    if (found === undefined) return undefined;
    const { LaunchTemplateVersions } = await ec2.describeLaunchTemplateVersions({
      LaunchTemplateId: id,
      Versions: ["$Latest"],
    });
    const version = LaunchTemplateVersions?.[0];
    return {
      ...fromData(version?.LaunchTemplateData),
      arn: `arn:${partition}:ec2:${region}:${await account()}:launch-template/${id}`,
      defaultVersion: found.DefaultVersionNumber,
      description: version?.VersionDescription ?? "",
      latestVersion: found.LatestVersionNumber,
      name: found.LaunchTemplateName,
      tags: fromTagList(found.Tags),
    };
  },
  async update({ aws }, id, news, { olds, has }) {
    const ec2 = await aws.ec2();
    let version = olds.latestVersion ?? 1;
    if (has("description", ...DATA)) {
      const { LaunchTemplateVersion } = await ec2.createLaunchTemplateVersion({
        LaunchTemplateData: dataOf(news),
        LaunchTemplateId: id,
        VersionDescription: news.description,
      });
      version = LaunchTemplateVersion?.VersionNumber ?? version + 1;
    }
    const wanted = news.updateDefaultVersion === true ? version : news.defaultVersion;
    if (wanted !== undefined)
      await ec2.modifyLaunchTemplate({ LaunchTemplateId: id, DefaultVersion: String(wanted) });
  },
  delete: async ({ aws }, id) => (await aws.ec2()).deleteLaunchTemplate({ LaunchTemplateId: id }),
});

function dataOf(inputs: Plain<aws.ec2.LaunchTemplateArgs>): RequestLaunchTemplateData {
  const data = definedValues(Object.fromEntries(DATA.map((name) => [name, inputs[name]])));
  const specifications = inputs.tagSpecifications?.map(({ resourceType, tags }) => ({
    ResourceType: resourceType,
    Tags: Object.entries(tagsOf(tags)).map(([Key, Value]) => ({ Key, Value })),
  }));
  return {
    ...pascal<RequestLaunchTemplateData>(booleans(data), NAMES),
    ...(specifications === undefined ? {} : pascal<object>({ tagSpecifications: specifications })),
  };
}

/** Three nested properties are texts for Pulumi ("true") and truth values for AWS. */
function booleans(data: Values): Values {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item)]));
    return value === "true" ? true : value === "false" ? false : value;
  };
  return isRecord(data)
    ? Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, key === "userData" ? value : convert(value)]),
      )
    : data;
}

function fromData(found: object | undefined): Plain<aws.ec2.LaunchTemplateState> {
  const data = camel<Record<string, unknown>>(found ?? {}, NAMES);
  const tags = data.tagSpecifications;
  const specifications = Array.isArray(tags)
    ? tags
        .filter(isRecord)
        .filter((entry) => entry.resourceType !== "launch-template")
        .map((entry) => ({
          resourceType: String(entry.resourceType),
          tags: Object.fromEntries(
            (Array.isArray(entry.tags) ? entry.tags : [])
              .filter(isRecord)
              .map((tag) => [String(tag.key), String(tag.value)]),
          ),
        }))
    : undefined;
  const own = Object.fromEntries(DATA.map((name) => [name, data[name]]));
  return {
    ...own,
    ...(specifications === undefined || specifications.length === 0
      ? {}
      : { tagSpecifications: specifications }),
  };
}
