import type * as aws from "@pulumi/aws";
import type { World } from "./example";
import { example, trust } from "./example";

const cluster = async (world: World): Promise<string> =>
  (
    await world.need("aws:eks/cluster:Cluster", "cluster", {
      roleArn: (await world.role()).state.arn,
      vpcConfig: { subnetIds: [await world.subnet(), await world.subnet(1)] },
      accessConfig: { authenticationMode: "API" },
    })
  ).id;

const nodeRole = async (world: World, name = "node-role"): Promise<string> =>
  String(
    (await world.need("aws:iam/role:Role", name, { assumeRolePolicy: trust("ec2.amazonaws.com") })).state.arn,
  );

/** The types of EKS. */
export const clusters = [
  example<aws.eks.ClusterArgs>({
    token: "aws:eks/cluster:Cluster",
    inputs: async (world) => ({
      roleArn: String((await world.role()).state.arn),
      vpcConfig: { subnetIds: [await world.subnet(), await world.subnet(1)], endpointPrivateAccess: true },
      accessConfig: {
        authenticationMode: "API_AND_CONFIG_MAP",
        bootstrapClusterCreatorAdminPermissions: true,
      },
      version: "1.34",
      tags: { Name: "example" },
    }),
    updates: async (world) => ({
      accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: true },
      enabledClusterLogTypes: ["api", "audit"],
      upgradePolicy: { supportType: "STANDARD" },
      version: "1.35",
      vpcConfig: {
        subnetIds: [await world.subnet(), await world.subnet(1)],
        endpointPrivateAccess: true,
        endpointPublicAccess: false,
      },
    }),
    replaces: () => ({
      accessConfig: {
        authenticationMode: "API_AND_CONFIG_MAP",
        bootstrapClusterCreatorAdminPermissions: false,
      },
    }),
    fixed: {
      computeConfig: "for Auto Mode",
      deletionProtection: "would keep the example from being deleted",
      encryptionConfig: "needs a key and cannot be taken back",
      kubernetesNetworkConfig: "for Auto Mode",
      storageConfig: "for Auto Mode",
      zonalShiftConfig: "moto lacks it",
    },
  }),
  example<aws.eks.NodeGroupArgs>({
    token: "aws:eks/nodeGroup:NodeGroup",
    inputs: async (world) => ({
      clusterName: await cluster(world),
      nodeRoleArn: await nodeRole(world),
      subnetIds: [await world.subnet()],
      scalingConfig: { desiredSize: 1, maxSize: 2, minSize: 1 },
      labels: { pool: "example" },
      taints: [{ key: "dedicated", value: "example", effect: "NO_SCHEDULE" }],
      tags: { Name: "example" },
    }),
    updates: () => ({
      labels: { pool: "other", more: "yes" },
      scalingConfig: { desiredSize: 2, maxSize: 3, minSize: 1 },
      taints: [{ key: "dedicated", value: "other", effect: "NO_EXECUTE" }],
    }),
    fixed: {
      launchTemplate: "replaces, or needs a template",
      releaseVersion: "moto has one answer",
      updateConfig: "moto does not answer with it",
      version: "follows the cluster",
    },
    untaggable: "moto knows the tags of clusters only",
  }),
  example<aws.eks.AddonArgs>({
    token: "aws:eks/addon:Addon",
    inputs: async (world) => ({
      clusterName: await cluster(world),
      addonName: "eks-pod-identity-agent",
      tags: { Name: "example" },
    }),
    updates: async (world) => ({
      configurationValues: '{"a":1}',
      serviceAccountRoleArn: await nodeRole(world),
    }),
    fixed: { addonVersion: "depends on what AWS offers" },
  }),
  example<aws.eks.AccessEntryArgs>({
    token: "aws:eks/accessEntry:AccessEntry",
    inputs: async (world) => ({
      clusterName: await cluster(world),
      principalArn: await nodeRole(world, "viewer-role"),
      kubernetesGroups: ["viewers"],
      tags: { Name: "example" },
    }),
    updates: () => ({ kubernetesGroups: ["editors"], userName: "somebody" }),
  }),
  example<aws.eks.AccessPolicyAssociationArgs>({
    token: "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    inputs: async (world) => {
      const clusterName = await cluster(world);
      const principalArn = await nodeRole(world, "admin-role");
      await world.need("aws:eks/accessEntry:AccessEntry", "entry", { clusterName, principalArn });
      return {
        clusterName,
        principalArn,
        policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
        accessScope: { type: "cluster" },
      };
    },
    updates: () => ({}),
  }),
  example<aws.eks.PodIdentityAssociationArgs>({
    token: "aws:eks/podIdentityAssociation:PodIdentityAssociation",
    inputs: async (world) => ({
      clusterName: await cluster(world),
      namespace: "default",
      serviceAccount: "example",
      roleArn: await nodeRole(world),
      tags: { Name: "example" },
    }),
    updates: async (world) => ({ roleArn: await nodeRole(world, "pod-role") }),
    fixed: { disableSessionTags: "moto has one answer", targetRoleArn: "needs another account" },
    importId: (id, state) => `${String(state.clusterName)},${id}`,
  }),
];
