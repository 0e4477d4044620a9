import { randomUUID } from "node:crypto";
import { reply } from "../answer";
import { ACCOUNT } from "../clients";
import { text } from "../call";
import type { Addition } from "../rule";
import { arnOf, clusterAddition, inUse, notFound, type ClusterCall } from "./handlers";
import type { EksStore, Fields } from "./store";
import { startUpdate } from "./updates";

/** The add-ons that the sandbox knows, newest version first. */
export const ADDON_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  "vpc-cni": ["v1.20.4-eksbuild.1", "v1.20.3-eksbuild.1"],
  coredns: ["v1.12.4-eksbuild.1", "v1.12.3-eksbuild.1"],
  "kube-proxy": ["v1.34.1-eksbuild.1", "v1.33.5-eksbuild.1"],
  "eks-pod-identity-agent": ["v1.3.9-eksbuild.1", "v1.3.8-eksbuild.2"],
  "aws-ebs-csi-driver": ["v1.50.1-eksbuild.1", "v1.49.0-eksbuild.1"],
};

const CHANGEABLE = ["addonVersion", "serviceAccountRoleArn", "configurationValues"];

/** Add-ons: CREATING for a while, then ACTIVE. */
export function addons(store: EksStore, settleMs: () => number): Addition {
  const shown = (addon: Fields, now: number): Fields => {
    const young = now - Number(addon.createdAt) < settleMs() / 1000;
    return { ...addon, status: young ? "CREATING" : "ACTIVE" };
  };
  const find = ({ call, record }: ClusterCall): Fields | undefined =>
    record.addons[text(call, "addonName") ?? ""];
  const missing = ({ call }: ClusterCall): ReturnType<typeof notFound> =>
    notFound(
      `No addon: ${text(call, "addonName") ?? ""} found in cluster: ${text(call, "clusterName") ?? ""}`,
    );

  const cluster = clusterAddition("add-ons", store, {
    CreateAddon(request) {
      const { call, record, clusterName, context, now } = request;
      const name = text(call, "addonName") ?? "";
      const versions = ADDON_VERSIONS[name];
      if (versions === undefined) {
        return { code: "InvalidParameterException", message: `Addon ${name} specified is not supported` };
      }
      if (find(request) !== undefined) return inUse("Addon already exists.");
      const version = text(call, "addonVersion") ?? versions[0] ?? "";
      if (!isVersion(version)) return wrongVersion();
      const addon: Fields = {
        addonName: name,
        clusterName,
        addonVersion: version,
        health: { issues: [] },
        addonArn: arnOf(context.region, ACCOUNT, "addon", clusterName, name, randomUUID()),
        createdAt: now,
        modifiedAt: now,
        tags: call.parameters.tags ?? {},
        ...chosen(call.parameters),
        podIdentityAssociations: [],
      };
      record.addons[name] = addon;
      return reply({ addon: shown(addon, now) });
    },
    DescribeAddon(request) {
      const addon = find(request);
      return addon === undefined ? missing(request) : reply({ addon: shown(addon, request.now) });
    },
    ListAddons: ({ record }) => reply({ addons: Object.keys(record.addons) }),
    UpdateAddon(request) {
      const addon = find(request);
      if (addon === undefined) return missing(request);
      if (!isVersion(text(request.call, "addonVersion") ?? "v0")) return wrongVersion();
      const changed = chosen(request.call.parameters);
      Object.assign(addon, changed, { modifiedAt: request.now });
      return reply({ update: startUpdate(request, "AddonUpdate", changed) });
    },
    DeleteAddon(request) {
      const addon = find(request);
      if (addon === undefined) return missing(request);
      Reflect.deleteProperty(request.record.addons, String(addon.addonName));
      return reply({ addon: { ...addon, status: "DELETING" } });
    },
  });
  return {
    ...cluster,
    async answer(call, context) {
      return call.service === "eks" && call.action === "DescribeAddonVersions"
        ? reply({ addons: supported(text(call, "addonName")) })
        : cluster.answer(call, context);
    },
  };
}

function supported(name: string | undefined): Fields[] {
  return Object.entries(ADDON_VERSIONS)
    .filter(([addonName]) => name === undefined || name === addonName)
    .map(([addonName, versions]) => ({
      addonName,
      type: "networking",
      owner: "aws",
      publisher: "eks",
      addonVersions: versions.map((addonVersion, index) => ({
        addonVersion,
        architecture: ["amd64", "arm64"],
        compatibilities: [{ clusterVersion: "1.34", platformVersions: ["*"], defaultVersion: index === 0 }],
      })),
    }));
}

function chosen(parameters: Readonly<Fields>): Fields {
  return Object.fromEntries(
    CHANGEABLE.filter((name) => parameters[name] !== undefined).map((name) => [name, parameters[name]]),
  );
}

function isVersion(version: string): boolean {
  return /^v\d/.test(version);
}

function wrongVersion(): { code: string; message: string } {
  return { code: "InvalidParameterException", message: "Addon version specified is not supported" };
}
