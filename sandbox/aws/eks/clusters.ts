// EKS clusters: what moto lacks of them.
import {
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeSubnetsCommand,
} from "@aws-sdk/client-ec2";
import { isObject, listAt, parseJson, textAt } from "../../../lib/json";
import { reply, type Refusal } from "../answer";
import type { RawAnswer } from "../backend";
import { text, type Call } from "../call";
import { ACCOUNT } from "../clients";
import { partitionOf } from "../partition";
import type { Addition, RuleContext } from "../rule";
import { addEntry } from "./access-entries";
import { clusterAddition, type ClusterCall } from "./handlers";
import { without, type EksStore, type Fields } from "./store";
import { isRunning, startUpdate } from "./updates";

/** What moto drops from a cluster, with EKS's defaults. */
const DEFAULTS: Readonly<Fields> = {
  accessConfig: { authenticationMode: "CONFIG_MAP", bootstrapClusterCreatorAdminPermissions: true },
  upgradePolicy: { supportType: "EXTENDED" },
  deletionProtection: false,
};
const KEPT = [
  ...Object.keys(DEFAULTS),
  "computeConfig",
  "storageConfig",
  "zonalShiftConfig",
  "remoteNetworkConfig",
  "controlPlaneScalingConfig",
  "logging",
  "encryptionConfig",
];
const MODES = ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"];

/** Clusters: settings are echoed and can be updated, versions go up by one, deletion protection protects. */
export function clusters(store: EksStore, settleMs: () => number): Addition {
  const own = clusterAddition("clusters", store, {
    UpdateClusterConfig(request) {
      const refusal = modeRefusal(request);
      if (refusal !== undefined) return refusal;
      const changes = without(request.call.parameters, "name", "clientRequestToken");
      for (const [field, value] of Object.entries(changes)) {
        const before = request.record.settings[field];
        request.record.settings[field] =
          isObject(before) && isObject(value) ? { ...before, ...value } : value;
      }
      return reply({ update: startUpdate(request, updateType(changes), changes) });
    },
    UpdateClusterVersion(request) {
      const [from, to] = [currentVersion(request), text(request.call, "version") ?? ""];
      if (Number(to.split(".")[1]) - Number(from.split(".")[1]) !== 1 || !to.startsWith("1.")) {
        return {
          code: "InvalidParameterException",
          message: `Unsupported Kubernetes minor version update from ${from} to ${to}`,
        };
      }
      request.record.settings.version = to;
      return reply({ update: startUpdate(request, "VersionUpdate", { version: to }) });
    },
    DeleteCluster({ record, clusterName }) {
      return record.settings.deletionProtection === true
        ? {
            code: "InvalidRequestException",
            message: `Cannot delete cluster ${clusterName} because deletion protection is enabled. Disable deletion protection first.`,
          }
        : undefined;
    },
  });
  return {
    ...own,
    async amend(call, answer, context) {
      if (call.service !== "eks") return answer;
      const cluster = clusterOf(answer);
      const name = textAt(cluster, "name");
      if (cluster === undefined || name === undefined) return answer;
      if (call.action === "CreateCluster") await begin(store, call, name, context);
      const { settings, updates } = store.cluster(name);
      const updating = Object.values(updates).some((update) =>
        isRunning(update, context.now() / 1000, settleMs()),
      );
      const status = updating && cluster.status === "ACTIVE" ? { status: "UPDATING" } : {};
      if (call.action === "DeleteCluster") await end(store, name, context);
      return reply({ cluster: { ...cluster, ...settings, ...status } });
    },
  };
}

async function begin(store: EksStore, call: Call, name: string, context: RuleContext): Promise<void> {
  store.forget(name);
  const record = store.cluster(name);
  for (const field of KEPT) {
    const value = call.parameters[field] ?? DEFAULTS[field];
    const standard = DEFAULTS[field];
    if (value !== undefined) {
      record.settings[field] = isObject(value) && isObject(standard) ? { ...standard, ...value } : value;
    }
  }
  const network = call.parameters.kubernetesNetworkConfig;
  record.settings.kubernetesNetworkConfig = {
    serviceIpv4Cidr: "10.100.0.0/16",
    ipFamily: "ipv4",
    ...(isObject(network) ? network : {}),
  };
  record.settings.resourcesVpcConfig = await vpcConfig(call, name, context);
  const access = record.settings.accessConfig;
  if (
    isObject(access) &&
    access.authenticationMode !== "CONFIG_MAP" &&
    access.bootstrapClusterCreatorAdminPermissions === true
  ) {
    const partition = partitionOf(context.region);
    const principalArn = `arn:${partition}:iam::${ACCOUNT}:user/sandbox`;
    const policyArn = `arn:${partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
    const now = context.now() / 1000;
    addEntry(record, { region: context.region, clusterName: name, principalArn, now });
    record.accessPolicies[principalArn] = {
      [policyArn]: {
        policyArn,
        accessScope: { type: "cluster", namespaces: [] },
        associatedAt: now,
        modifiedAt: now,
      },
    };
  }
  store.save();
}

async function vpcConfig(call: Call, name: string, { aws }: RuleContext): Promise<Fields> {
  const given = call.parameters.resourcesVpcConfig;
  const subnetIds = listAt(given, "subnetIds").filter((id) => typeof id === "string");
  const subnets = await aws.ec2
    .send(new DescribeSubnetsCommand({ SubnetIds: subnetIds }))
    .catch(() => undefined);
  const vpcId = subnets?.Subnets?.[0]?.VpcId ?? "";
  // The cluster's own group, which its nodes have too.
  const group = await aws.ec2
    .send(
      new CreateSecurityGroupCommand({
        GroupName: `eks-cluster-sg-${name}`,
        Description:
          "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes",
        VpcId: vpcId,
      }),
    )
    .catch(() => undefined);
  return {
    securityGroupIds: [],
    endpointPublicAccess: true,
    endpointPrivateAccess: false,
    publicAccessCidrs: ["0.0.0.0/0"],
    ...(isObject(given) ? given : {}),
    vpcId,
    ...(group?.GroupId === undefined ? {} : { clusterSecurityGroupId: group.GroupId }),
  };
}

async function end(store: EksStore, name: string, { aws }: RuleContext): Promise<void> {
  const GroupId = textAt(store.cluster(name).settings, "resourcesVpcConfig", "clusterSecurityGroupId");
  if (GroupId !== undefined)
    await aws.ec2.send(new DeleteSecurityGroupCommand({ GroupId })).catch(() => undefined);
  store.forget(name);
  store.save();
}

/** The version that a cluster has after its updates. */
export function currentVersion({ record, cluster }: Pick<ClusterCall, "record" | "cluster">): string {
  return textAt(record.settings, "version") ?? cluster.version ?? "";
}

// The mode goes from the ConfigMap towards the API, never back.
function modeRefusal({ call, record }: ClusterCall): Refusal | undefined {
  const wanted = textAt(call.parameters, "accessConfig", "authenticationMode");
  const current = textAt(record.settings, "accessConfig", "authenticationMode") ?? "CONFIG_MAP";
  if (wanted === undefined || MODES.indexOf(wanted) > MODES.indexOf(current)) return undefined;
  return {
    code: "InvalidParameterException",
    message: `Unsupported authentication mode update from ${current} to ${wanted}`,
  };
}

function updateType(changes: Fields): string {
  const types: Readonly<Record<string, string>> = {
    logging: "LoggingUpdate",
    resourcesVpcConfig: "EndpointAccessUpdate",
    accessConfig: "AccessConfigUpdate",
    upgradePolicy: "UpgradePolicyUpdate",
    deletionProtection: "DeletionProtectionUpdate",
  };
  return types[Object.keys(changes)[0] ?? ""] ?? "ConfigUpdate";
}

function clusterOf(answer: RawAnswer): Fields | undefined {
  const body = parseJson(answer.body.toString());
  return isObject(body) && isObject(body.cluster) ? body.cluster : undefined;
}
