import type { Addon as Found } from "@aws-sdk/client-eks";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import { declare, literal } from "../core/declaration";
import { chosen, identifies, local, updates } from "../core/property";
import { eksTagging, gone } from "./eks-cluster";

/** Software in a cluster that AWS keeps up. */
export const eksAddon = declare<aws.eks.AddonArgs, aws.eks.AddonState>({
  token: "aws:eks/addon:Addon",
  properties: {
    addonName: identifies,
    addonVersion: chosen,
    clusterName: identifies,
    configurationValues: { ...chosen, json: true },
    podIdentityAssociations: { ...local, set: true },
    preserve: local,
    resolveConflictsOnCreate: { ...local, oneOf: ["NONE", "OVERWRITE"] },
    resolveConflictsOnUpdate: { ...local, oneOf: ["NONE", "OVERWRITE", "PRESERVE"] },
    serviceAccountRoleArn: updates,
  },
  tagging: eksTagging(),
  async create({ aws, token }, inputs) {
    await (
      await aws.eks()
    ).createAddon({
      addonName: inputs.addonName,
      addonVersion: inputs.addonVersion,
      clientRequestToken: token,
      clusterName: inputs.clusterName,
      configurationValues: inputs.configurationValues,
      podIdentityAssociations: inputs.podIdentityAssociations,
      resolveConflicts: literal(inputs.resolveConflictsOnCreate),
      serviceAccountRoleArn: inputs.serviceAccountRoleArn,
      tags: inputs.tags,
    });
    return `${inputs.clusterName}:${inputs.addonName}`;
  },
  settle: (context, id) => active(context, id),
  async read(context, id) {
    const found = await described(context, id);
    if (found === undefined || found.status === "DELETING") return undefined;
    return {
      addonName: found.addonName,
      addonVersion: found.addonVersion,
      arn: found.addonArn,
      clusterName: found.clusterName,
      configurationValues: found.configurationValues ?? "",
      createdAt: found.createdAt?.toISOString(),
      modifiedAt: found.modifiedAt?.toISOString(),
      serviceAccountRoleArn: found.serviceAccountRoleArn ?? "",
      tags: found.tags,
    };
  },
  async update(context, id, news, { has }) {
    if (!has("addonVersion", "configurationValues", "serviceAccountRoleArn", "podIdentityAssociations"))
      return;
    await (
      await context.aws.eks()
    ).updateAddon({
      ...partsOf(id),
      addonVersion: news.addonVersion,
      clientRequestToken: context.token,
      configurationValues: news.configurationValues,
      podIdentityAssociations: news.podIdentityAssociations,
      resolveConflicts: literal(news.resolveConflictsOnUpdate),
      serviceAccountRoleArn: news.serviceAccountRoleArn,
    });
    await active(context, id, ["DEGRADED"]);
  },
  async delete(context, id, state) {
    await (await context.aws.eks()).deleteAddon({ ...partsOf(id), preserve: state.preserve });
    await gone(context, `add-on ${id}`, () => described(context, id));
  },
});

function partsOf(id: string): { clusterName: string; addonName: string } {
  const [clusterName = "", addonName = ""] = id.split(":");
  return { clusterName, addonName };
}

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  return (await (await aws.eks()).describeAddon(partsOf(id))).addon;
}

// As with the official provider, a new add-on that is degraded is waited for; a change is done when AWS made it.
async function active(context: AwsContext, id: string, isEnough: readonly string[] = []): Promise<void> {
  let seen = "";
  const wait = context.deadline.until(`add-on ${id} is active`, async () => {
    const found = await described(context, id);
    seen = `it is ${found?.status ?? "not there"}: ${JSON.stringify(found?.health?.issues ?? [])}`;
    if (found?.status === "CREATE_FAILED" || found?.status === "UPDATE_FAILED")
      throw new Error(`Add-on ${id} failed`);
    return [...isEnough, "ACTIVE"].includes(found?.status ?? "") || undefined;
  });
  await wait.catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)} (${seen})`);
  });
}
