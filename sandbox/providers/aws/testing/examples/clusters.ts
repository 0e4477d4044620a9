import type * as aws from "@pulumi/aws";
import type { ExampleDependencies } from "./example";
import { example, trust } from "./example";

const cluster = async (fixture: ExampleDependencies): Promise<string> =>
  (
    await fixture.need("aws:eks/cluster:Cluster", "cluster", {
      roleArn: (await fixture.role()).state.arn,
      vpcConfig: { subnetIds: [await fixture.subnet(), await fixture.subnet(1)] },
      accessConfig: { authenticationMode: "API" },
    })
  ).id;

const nodeRole = async (fixture: ExampleDependencies, name = "node-role"): Promise<string> =>
  String(
    (await fixture.need("aws:iam/role:Role", name, { assumeRolePolicy: trust("ec2.amazonaws.com") })).state
      .arn,
  );

/** The types of EKS. */
export const clusters = [
  example<aws.eks.ClusterArgs>({
    token: "aws:eks/cluster:Cluster",
    inputs: async (fixture) => ({
      roleArn: String((await fixture.role()).state.arn),
      vpcConfig: {
        subnetIds: [await fixture.subnet(), await fixture.subnet(1)],
        endpointPrivateAccess: true,
      },
      accessConfig: {
        authenticationMode: "API_AND_CONFIG_MAP",
        bootstrapClusterCreatorAdminPermissions: true,
      },
      version: "1.34",
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: true },
      enabledClusterLogTypes: ["api", "audit"],
      upgradePolicy: { supportType: "STANDARD" },
      version: "1.35",
      vpcConfig: {
        subnetIds: [await fixture.subnet(), await fixture.subnet(1)],
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
    inputs: async (fixture) => ({
      clusterName: await cluster(fixture),
      nodeRoleArn: await nodeRole(fixture),
      subnetIds: [await fixture.subnet()],
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
    inputs: async (fixture) => ({
      clusterName: await cluster(fixture),
      addonName: "eks-pod-identity-agent",
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      configurationValues: '{"a":1}',
      serviceAccountRoleArn: await nodeRole(fixture),
    }),
    fixed: { addonVersion: "depends on what AWS offers" },
  }),
  example<aws.eks.AccessEntryArgs>({
    token: "aws:eks/accessEntry:AccessEntry",
    inputs: async (fixture) => ({
      clusterName: await cluster(fixture),
      principalArn: await nodeRole(fixture, "viewer-role"),
      kubernetesGroups: ["viewers"],
      tags: { Name: "example" },
    }),
    updates: () => ({ kubernetesGroups: ["editors"], userName: "somebody" }),
  }),
  example<aws.eks.AccessPolicyAssociationArgs>({
    token: "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    inputs: async (fixture) => {
      const clusterName = await cluster(fixture);
      const principalArn = await nodeRole(fixture, "admin-role");
      await fixture.need("aws:eks/accessEntry:AccessEntry", "entry", { clusterName, principalArn });
      return {
        clusterName,
        principalArn,
        policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
        accessScope: { type: "cluster" },
      };
    },
    updates: () => ({}),
  }),
  example<aws.eks.IdentityProviderConfigArgs>({
    token: "aws:eks/identityProviderConfig:IdentityProviderConfig",
    inputs: async (fixture) => ({
      clusterName: await cluster(fixture),
      oidc: {
        identityProviderConfigName: "oidc",
        issuerUrl: "https://login.example.com",
        clientId: "kubernetes",
        usernameClaim: "preferred_username",
        usernamePrefix: "fleetwright.dev/user:",
      },
      tags: { Name: "example" },
    }),
    updates: () => ({}),
  }),
  example<aws.eks.PodIdentityAssociationArgs>({
    token: "aws:eks/podIdentityAssociation:PodIdentityAssociation",
    inputs: async (fixture) => ({
      clusterName: await cluster(fixture),
      namespace: "default",
      serviceAccount: "example",
      roleArn: await nodeRole(fixture),
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({ roleArn: await nodeRole(fixture, "pod-role") }),
    fixed: { disableSessionTags: "moto has one answer", targetRoleArn: "needs another account" },
    importId: (id, state) => `${String(state.clusterName)},${id}`,
  }),
];
