import { actionsOf, ec2, type PermissionGroup } from "./permission";

/** What every cluster has: a network with its logs, roles, and templates of its pools. */
export const everyCluster: PermissionGroup = {
  title: "Every cluster",
  needed:
    "Always. With `network.existing`, what is about VPC, subnets, gateways, routes, endpoints and flow logs is left out.",
  types: {
    "aws:ec2/vpc:Vpc": ec2({
      create: "CreateVpc ModifyVpcAttribute",
      read: "DescribeVpcs DescribeVpcAttribute DescribeSecurityGroups DescribeRouteTables DescribeNetworkAcls",
      update: "ModifyVpcAttribute",
      delete: "DeleteVpc",
    }),
    // It is there with the VPC: it is emptied, and never made or deleted.
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": ec2({
      create: "DescribeVpcs RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
      read: "DescribeSecurityGroups",
      update:
        "AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
    }),
    "aws:ec2/subnet:Subnet": ec2({
      create: "CreateSubnet ModifySubnetAttribute",
      read: "DescribeSubnets",
      update: "ModifySubnetAttribute",
      delete: "DeleteSubnet DescribeNetworkInterfaces",
    }),
    "aws:ec2/internetGateway:InternetGateway": ec2({
      create: "CreateInternetGateway AttachInternetGateway",
      read: "DescribeInternetGateways",
      update: "AttachInternetGateway DetachInternetGateway",
      delete: "DetachInternetGateway DeleteInternetGateway",
    }),
    "aws:ec2/eip:Eip": ec2({
      create: "AllocateAddress AssociateAddress",
      read: "DescribeAddresses DescribeAddressesAttribute",
      delete: "DisassociateAddress ReleaseAddress",
    }),
    "aws:ec2/natGateway:NatGateway": ec2({
      create: "CreateNatGateway",
      read: "DescribeNatGateways",
      delete: "DeleteNatGateway",
    }),
    "aws:ec2/routeTable:RouteTable": ec2({
      create: "CreateRouteTable",
      read: "DescribeRouteTables",
      delete: "DisassociateRouteTable DeleteRouteTable",
    }),
    "aws:ec2/route:Route": actionsOf("ec2", {
      create: "CreateRoute",
      read: "DescribeRouteTables",
      update: "ReplaceRoute",
      delete: "DeleteRoute",
    }),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": actionsOf("ec2", {
      create: "AssociateRouteTable",
      read: "DescribeRouteTables",
      update: "ReplaceRouteTableAssociation",
      delete: "DisassociateRouteTable",
    }),
    "aws:ec2/vpcEndpoint:VpcEndpoint": ec2({
      create: "CreateVpcEndpoint",
      read: "DescribeVpcEndpoints DescribePrefixLists",
      update: "ModifyVpcEndpoint",
      delete: "DeleteVpcEndpoints",
    }),
    "aws:ec2/securityGroup:SecurityGroup": ec2({
      create: "CreateSecurityGroup RevokeSecurityGroupEgress",
      read: "DescribeSecurityGroups",
      delete: "DescribeNetworkInterfaces DeleteSecurityGroup",
    }),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ec2({
      create: "AuthorizeSecurityGroupIngress",
      read: "DescribeSecurityGroupRules DescribeSecurityGroups",
      update: "ModifySecurityGroupRules",
      delete: "RevokeSecurityGroupIngress",
    }),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": ec2({
      create: "AuthorizeSecurityGroupEgress",
      read: "DescribeSecurityGroupRules DescribeSecurityGroups",
      update: "ModifySecurityGroupRules",
      delete: "RevokeSecurityGroupEgress",
    }),
    "aws:ec2/flowLog:FlowLog": ec2({
      create: "CreateFlowLogs iam:PassRole logs:CreateLogDelivery",
      read: "DescribeFlowLogs",
      delete: "DeleteFlowLogs logs:DeleteLogDelivery",
    }),
    "aws:cloudwatch/logGroup:LogGroup": actionsOf("logs", {
      create: "CreateLogGroup PutRetentionPolicy TagResource",
      read: "DescribeLogGroups ListTagsForResource",
      update: "PutRetentionPolicy DeleteRetentionPolicy TagResource UntagResource",
      delete: "DeleteLogGroup",
    }),
    "aws:iam/role:Role": actionsOf("iam", {
      create: "CreateRole TagRole",
      read: "GetRole ListRolePolicies ListAttachedRolePolicies",
      update: `UpdateAssumeRolePolicy UpdateRole UpdateRoleDescription PutRolePermissionsBoundary
        DeleteRolePermissionsBoundary TagRole UntagRole`,
      delete: "ListInstanceProfilesForRole DeleteRole",
    }),
    "aws:iam/rolePolicy:RolePolicy": actionsOf("iam", {
      create: "PutRolePolicy",
      read: "GetRolePolicy",
      update: "PutRolePolicy",
      delete: "DeleteRolePolicy",
    }),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": actionsOf("iam", {
      create: "AttachRolePolicy",
      read: "ListAttachedRolePolicies",
      delete: "DetachRolePolicy",
    }),
    "aws:ec2/launchTemplate:LaunchTemplate": ec2({
      create: "CreateLaunchTemplate",
      read: "DescribeLaunchTemplates DescribeLaunchTemplateVersions",
      update: "CreateLaunchTemplateVersion ModifyLaunchTemplate",
      delete: "DeleteLaunchTemplate",
    }),
    "aws:index/getAvailabilityZones:getAvailabilityZones": actionsOf("ec2", {
      read: "DescribeAvailabilityZones",
    }),
    // The provider knows its region and partition without asking.
    "aws:index/getRegion:getRegion": actionsOf("ec2", {}),
    "aws:index/getPartition:getPartition": actionsOf("ec2", {}),
  },
};
