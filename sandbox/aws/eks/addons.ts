import { randomUUID } from "node:crypto";
import { reply } from "../answer";
import { ACCOUNT } from "../clients";
import { text } from "../call";
import type { Addition } from "../rule";
import { podsRun } from "./addon-pods";
import { defaultVersion, supportedAddons, versionsFor } from "./addon-versions";
import { currentVersion } from "./clusters";
import { arnOf, clusterAddition, inUse, notFound, type ClusterCall } from "./handlers";
import type { EksStore, Fields } from "./store";
import { startUpdate } from "./updates";

const CHANGEABLE = ["addonVersion", "serviceAccountRoleArn", "configurationValues"];

/** How many times the usual span an add-on waits for its pods before it calls itself degraded. */
const PATIENCE = 5;

const TOO_FEW_REPLICAS = {
  code: "InsufficientNumberOfReplicas",
  message: "The add-on is unhealthy because it doesn't have the desired number of replicas.",
  resourceIds: [],
};

/** Add-ons: CREATING for a while, then ACTIVE, or DEGRADED where no node takes their pods. */
export function addons(store: EksStore, settleMs: () => number): Addition {
  const shown = async (request: ClusterCall, addon: Fields): Promise<Fields> => {
    const spans = (request.now - Number(addon.createdAt)) / (settleMs() / 1000);
    if (spans < 1) return { ...addon, status: "CREATING" };
    if (await podsRun(request, addon)) return { ...addon, status: "ACTIVE" };
    return spans < PATIENCE
      ? { ...addon, status: "CREATING" }
      : { ...addon, status: "DEGRADED", health: { issues: [TOO_FEW_REPLICAS] } };
  };
  const find = ({ call, record }: ClusterCall): Fields | undefined =>
    record.addons[text(call, "addonName") ?? ""];
  const missing = ({ call }: ClusterCall): ReturnType<typeof notFound> =>
    notFound(
      `No addon: ${text(call, "addonName") ?? ""} found in cluster: ${text(call, "clusterName") ?? ""}`,
    );

  const cluster = clusterAddition("add-ons", store, {
    async CreateAddon(request) {
      const { call, record, clusterName, context, now } = request;
      const name = text(call, "addonName") ?? "";
      const versions = versionsFor(name, currentVersion(request));
      if (versions === undefined) {
        return { code: "InvalidParameterException", message: `Addon ${name} specified is not supported` };
      }
      if (find(request) !== undefined) return inUse("Addon already exists.");
      const version = text(call, "addonVersion") ?? defaultVersion(name, currentVersion(request));
      if (!versions.includes(version)) return wrongVersion();
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
      return reply({ addon: await shown(request, addon) });
    },
    async DescribeAddon(request) {
      const addon = find(request);
      return addon === undefined ? missing(request) : reply({ addon: await shown(request, addon) });
    },
    ListAddons: ({ record }) => reply({ addons: Object.keys(record.addons) }),
    UpdateAddon(request) {
      const addon = find(request);
      if (addon === undefined) return missing(request);
      const version = text(request.call, "addonVersion");
      const offered = versionsFor(String(addon.addonName), currentVersion(request));
      if (version !== undefined && offered?.includes(version) !== true) return wrongVersion();
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
        ? reply({ addons: supportedAddons(text(call, "addonName"), text(call, "kubernetesVersion")) })
        : cluster.answer(call, context);
    },
  };
}

function chosen(parameters: Readonly<Fields>): Fields {
  return Object.fromEntries(
    CHANGEABLE.filter((name) => parameters[name] !== undefined).map((name) => [name, parameters[name]]),
  );
}

function wrongVersion(): { code: string; message: string } {
  return { code: "InvalidParameterException", message: "Addon version specified is not supported" };
}
