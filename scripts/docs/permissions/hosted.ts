import { actionsOf, eks, type PermissionGroup } from "./permission";

/** What a cluster that AWS runs has beyond every cluster. */
export const hosted: PermissionGroup = {
  title: "EKS",
  needed: "For clusters of the kind `hosted`.",
  types: {
    "aws:eks/cluster:Cluster": eks({
      create: `CreateCluster CreateAccessEntry iam:PassRole iam:GetRole iam:ListAttachedRolePolicies iam:CreateServiceLinkedRole
        ec2:DescribeSubnets ec2:DescribeVpcs ec2:DescribeSecurityGroups kms:DescribeKey kms:CreateGrant`,
      read: "DescribeCluster",
      update:
        "UpdateClusterConfig UpdateClusterVersion AssociateEncryptionConfig DescribeUpdate iam:PassRole",
      delete: "DeleteCluster",
    }),
    // AWS asks for the rights of the first launch when a group with a launch template is made.
    "aws:eks/nodeGroup:NodeGroup": eks({
      create: `CreateNodegroup iam:PassRole iam:GetRole iam:ListAttachedRolePolicies iam:CreateServiceLinkedRole
        ec2:RunInstances ec2:CreateTags ec2:DescribeSubnets ec2:DescribeVpcs ec2:DescribeSecurityGroups
        ec2:DescribeRouteTables ec2:DescribeLaunchTemplates ec2:DescribeLaunchTemplateVersions`,
      read: "DescribeNodegroup",
      update: "UpdateNodegroupConfig UpdateNodegroupVersion DescribeUpdate iam:PassRole iam:GetRole",
      delete: "DeleteNodegroup",
    }),
    "aws:eks/addon:Addon": eks({
      create: "CreateAddon",
      read: "DescribeAddon",
      update: "UpdateAddon DescribeUpdate",
      delete: "DeleteAddon",
    }),
    "aws:eks/getAddonVersion:getAddonVersion": actionsOf("eks", { read: "DescribeAddonVersions" }),
    "aws:eks/accessEntry:AccessEntry": eks({
      create: "CreateAccessEntry",
      read: "DescribeAccessEntry",
      update: "UpdateAccessEntry",
      delete: "DeleteAccessEntry",
    }),
    "aws:eks/identityProviderConfig:IdentityProviderConfig": eks({
      create: "AssociateIdentityProviderConfig",
      read: "DescribeIdentityProviderConfig",
      update: "",
      delete: "DisassociateIdentityProviderConfig",
    }),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": actionsOf("eks", {
      create: "AssociateAccessPolicy",
      read: "ListAssociatedAccessPolicies",
      update: "AssociateAccessPolicy",
      delete: "DisassociateAccessPolicy",
    }),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": eks({
      create: "CreatePodIdentityAssociation iam:PassRole iam:GetRole",
      read: "DescribePodIdentityAssociation ListPodIdentityAssociations",
      update: "UpdatePodIdentityAssociation iam:PassRole iam:GetRole",
      delete: "DeletePodIdentityAssociation",
    }),
    "aws:kms/key:Key": actionsOf("kms", {
      create: "CreateKey EnableKeyRotation PutKeyPolicy TagResource",
      read: "DescribeKey GetKeyPolicy GetKeyRotationStatus ListResourceTags",
      update: `EnableKey DisableKey EnableKeyRotation DisableKeyRotation PutKeyPolicy UpdateKeyDescription TagResource
        UntagResource`,
      delete: "ScheduleKeyDeletion",
    }),
  },
};
