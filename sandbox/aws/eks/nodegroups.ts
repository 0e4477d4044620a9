import { DescribeNodegroupCommand } from "@aws-sdk/client-eks";
import { isObject, parseJson, textAt } from "../../../lib/json";
import { reply } from "../answer";
import type { RawAnswer } from "../backend";
import { text } from "../call";
import type { Addition } from "../rule";
import { addEntry } from "./access-entries";
import { currentVersion } from "./clusters";
import { clusterAddition, notFound, type ClusterCall } from "./handlers";
import { without, type EksStore, type Fields } from "./store";
import { startUpdate } from "./updates";

/** Node groups: what moto drops or invents is put right, and their version can be updated. */
export function nodegroups(store: EksStore): Addition {
  const own = clusterAddition("node groups", store, {
    async UpdateNodegroupVersion(request) {
      const { call, record, clusterName } = request;
      const name = text(call, "nodegroupName") ?? "";
      if (!(await exists(request, name))) return missing(name, clusterName);
      const version = text(call, "version") ?? currentVersion(request);
      if (minor(version) > minor(currentVersion(request))) {
        return {
          code: "InvalidParameterException",
          message: `Nodegroup Kubernetes version ${version} is newer than the cluster's version ${currentVersion(request)}`,
        };
      }
      const changes = { version, releaseVersion: text(call, "releaseVersion") ?? releaseOf(version) };
      const template = call.parameters.launchTemplate;
      const overlay = { ...changes, ...(template === undefined ? {} : { launchTemplate: template }) };
      record.nodegroups[name] = { ...record.nodegroups[name], ...overlay };
      return reply({ update: startUpdate(request, "VersionUpdate", changes) });
    },
    async UpdateNodegroupConfig(request) {
      const { call, record, clusterName, context } = request;
      const name = text(call, "nodegroupName") ?? "";
      const answer = await context.aws.eks
        .send(new DescribeNodegroupCommand({ clusterName, nodegroupName: name }))
        .catch(() => undefined);
      if (answer?.nodegroup === undefined) return missing(name, clusterName);
      const current: Fields = { ...answer.nodegroup, ...record.nodegroups[name] };
      const { scalingConfig, labels, taints, updateConfig, nodeRepairConfig } = call.parameters;
      const changes = defined({ scalingConfig, labels, taints, updateConfig, nodeRepairConfig });
      record.nodegroups[name] = {
        ...record.nodegroups[name],
        ...defined({ updateConfig, nodeRepairConfig }),
        ...(isObject(scalingConfig) && isObject(current.scalingConfig)
          ? { scalingConfig: { ...current.scalingConfig, ...scalingConfig } }
          : {}),
        ...(isObject(labels) ? { labels: changedLabels(current.labels, labels) } : {}),
        ...(isObject(taints) ? { taints: changedTaints(current.taints, taints) } : {}),
      };
      return reply({ update: startUpdate(request, "ConfigUpdate", changes) });
    },
  });
  return {
    ...own,
    async amend(call, answer, context) {
      const body = call.service === "eks" ? parseJson(answer.body.toString()) : undefined;
      const group = isObject(body) && isObject(body.nodegroup) ? body.nodegroup : undefined;
      const [clusterName, name] = [textAt(group, "clusterName"), textAt(group, "nodegroupName")];
      if (group === undefined || clusterName === undefined || name === undefined) return answer;
      const record = store.cluster(clusterName);
      if (call.action === "CreateNodegroup") {
        record.nodegroups[name] = created(call.parameters, group);
        const principalArn = textAt(group, "nodeRole") ?? "";
        if (textAt(record.settings, "accessConfig", "authenticationMode") !== "CONFIG_MAP") {
          const now = context.now() / 1000;
          const common = { region: context.region, clusterName, principalArn, now };
          if (record.accessEntries[principalArn] === undefined) {
            addEntry(record, { ...common, type: "EC2_LINUX", kubernetesGroups: ["system:nodes"] });
          }
        }
        store.save();
      }
      const merged = merge(group, record.nodegroups[name] ?? {});
      if (call.action === "DeleteNodegroup") {
        Reflect.deleteProperty(record.nodegroups, name);
        store.save();
      }
      return merged;
    },
  };
}

// moto invents an SSH key and a security group that nobody asked for, and an old release.
function merge(group: Fields, overlay: Fields): RawAnswer {
  const resources = without(isObject(group.resources) ? group.resources : {}, "remoteAccessSecurityGroup");
  return reply({ nodegroup: { ...without(group, "remoteAccess"), resources, ...overlay } });
}

function created(parameters: Readonly<Fields>, group: Fields): Fields {
  const version = textAt(group, "version") ?? "";
  const { remoteAccess, updateConfig, nodeRepairConfig, launchTemplate } = parameters;
  return {
    releaseVersion: textAt(parameters, "releaseVersion") ?? releaseOf(version),
    updateConfig: updateConfig ?? { maxUnavailable: 1 },
    ...defined({ remoteAccess, nodeRepairConfig, launchTemplate }),
  };
}

function changedLabels(current: unknown, change: Fields): Fields {
  const removed: unknown[] = Array.isArray(change.removeLabels) ? change.removeLabels : [];
  const added = isObject(change.addOrUpdateLabels) ? change.addOrUpdateLabels : {};
  const merged = { ...(isObject(current) ? current : {}), ...added };
  return Object.fromEntries(Object.entries(merged).filter(([name]) => !removed.includes(name)));
}

function changedTaints(current: unknown, change: Fields): unknown[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const same = (a: unknown, b: unknown): boolean =>
    textAt(a, "key") === textAt(b, "key") && textAt(a, "effect") === textAt(b, "effect");
  const added = list(change.addOrUpdateTaints);
  const gone = [...list(change.removeTaints), ...added];
  return [...list(current).filter((taint) => !gone.some((other) => same(taint, other))), ...added];
}

async function exists({ context, clusterName }: ClusterCall, nodegroupName: string): Promise<boolean> {
  return context.aws.eks.send(new DescribeNodegroupCommand({ clusterName, nodegroupName })).then(
    () => true,
    () => false,
  );
}

function missing(name: string, cluster: string): ReturnType<typeof notFound> {
  return notFound(`No node group found for name: ${name} in cluster: ${cluster}.`);
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function minor(version: string): number {
  return Number(version.split(".")[1]);
}

function releaseOf(version: string): string {
  return `${version}.0-20260101`;
}
