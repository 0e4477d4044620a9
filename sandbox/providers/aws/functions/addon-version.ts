import type * as aws from "@pulumi/aws";
import { lookup } from "../core/declaration";

/** The version of an add-on for a version of Kubernetes: the one that EKS takes by default, or the newest. */
export const getAddonVersion = lookup<aws.eks.GetAddonVersionArgs, aws.eks.GetAddonVersionResult>({
  token: "aws:eks/getAddonVersion:getAddonVersion",
  args: ["addonName", "kubernetesVersion", "mostRecent"],
  async invoke({ aws, region }, { addonName, kubernetesVersion, mostRecent }) {
    const { addons } = await (await aws.eks()).describeAddonVersions({ addonName, kubernetesVersion });
    const versions = addons?.[0]?.addonVersions ?? [];
    const fitting = versions.find(
      ({ compatibilities }) =>
        mostRecent === true ||
        compatibilities?.some(
          ({ clusterVersion, defaultVersion }) =>
            clusterVersion === kubernetesVersion && defaultVersion === true,
        ),
    );
    if (fitting?.addonVersion === undefined)
      throw new Error(
        `getAddonVersion found no version of ${addonName} for Kubernetes ${kubernetesVersion}.`,
      );
    return {
      addonName,
      id: addonName,
      kubernetesVersion,
      ...(mostRecent === undefined ? {} : { mostRecent }),
      region,
      version: fitting.addonVersion,
    };
  },
});
