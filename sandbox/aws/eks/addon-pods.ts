// Whether a cluster has a node that takes the pods of an add-on.
import { DescribeNodegroupCommand, ListNodegroupsCommand } from "@aws-sdk/client-eks";
import { at, isObject, listAt, numberAt, parseJson, textAt } from "../../../lib/json";
import type { ClusterCall } from "./handlers";
import type { Fields } from "./store";

/** Add-ons with a Deployment, what its pods tolerate, and where their configuration says otherwise. */
const DEPLOYMENTS: Readonly<Record<string, { tolerates: readonly Fields[]; setting: readonly string[] }>> = {
  coredns: {
    tolerates: [
      { key: "CriticalAddonsOnly", operator: "Exists" },
      { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
    ],
    setting: ["tolerations"],
  },
  "aws-ebs-csi-driver": {
    tolerates: [
      { key: "CriticalAddonsOnly", operator: "Exists" },
      { operator: "Exists", effect: "NoExecute" },
    ],
    setting: ["controller", "tolerations"],
  },
};

/** The effects as Kubernetes writes them; the third only asks. */
const EFFECTS: Readonly<Record<string, string>> = { NO_SCHEDULE: "NoSchedule", NO_EXECUTE: "NoExecute" };

/** Whether the pods of an add-on run. DaemonSets are content without a node. */
export async function podsRun(request: ClusterCall, addon: Fields): Promise<boolean> {
  const deployment = DEPLOYMENTS[String(addon.addonName)];
  if (deployment === undefined) return true;
  if (at(request.record.settings, "computeConfig", "enabled") === true) return true;
  const configured = at(parseJson(textAt(addon, "configurationValues") ?? ""), ...deployment.setting);
  const tolerations = Array.isArray(configured) ? configured : deployment.tolerates;
  const groups = await nodeGroups(request);
  return groups.some((group) => takes(group, tolerations));
}

/** Whether a node group has nodes, and none of its taints keeps the pods away. */
export function takes(group: unknown, tolerations: readonly unknown[]): boolean {
  return (
    textAt(group, "status") === "ACTIVE" &&
    (numberAt(group, "scalingConfig", "desiredSize") ?? 0) > 0 &&
    listAt(group, "taints").every((taint) => tolerated(taint, tolerations))
  );
}

function tolerated(taint: unknown, tolerations: readonly unknown[]): boolean {
  const effect = EFFECTS[textAt(taint, "effect") ?? ""];
  if (effect === undefined) return true;
  return tolerations.some((toleration) => {
    const [key, wanted] = [textAt(toleration, "key"), textAt(toleration, "effect")];
    const anyValue = textAt(toleration, "operator") === "Exists";
    return (
      (wanted === undefined || wanted === effect) &&
      (key === undefined ? anyValue : key === textAt(taint, "key")) &&
      (anyValue || (textAt(toleration, "value") ?? "") === (textAt(taint, "value") ?? ""))
    );
  });
}

async function nodeGroups({ context, clusterName, record }: ClusterCall): Promise<Fields[]> {
  const { nodegroups = [] } = await context.aws.eks.send(new ListNodegroupsCommand({ clusterName }));
  const described = nodegroups.map(async (nodegroupName) => {
    const found = await context.aws.eks
      .send(new DescribeNodegroupCommand({ clusterName, nodegroupName }))
      .catch(() => undefined);
    return { ...found?.nodegroup, ...record.nodegroups[nodegroupName] };
  });
  return (await Promise.all(described)).filter(isObject);
}
