import { actionsOf, balancing, ec2, type PermissionGroup } from "./permission";

/** What a cluster on machines of one's own has beyond every cluster: servers, their state, a load balancer, pools. */
export const selfManaged: PermissionGroup = {
  title: "RKE2 and RKE",
  needed: "For clusters of the kinds `rke2` and `rke`.",
  types: {
    "aws:ec2/instance:Instance": ec2({
      create: "RunInstances iam:PassRole",
      read: `DescribeInstances DescribeInstanceAttribute DescribeInstanceTypes DescribeInstanceCreditSpecifications
        DescribeIamInstanceProfileAssociations DescribeImages DescribeTags DescribeVolumes`,
      update: `ModifyInstanceAttribute ModifyInstanceMetadataOptions ModifyVolume DescribeVolumesModifications StartInstances
        StopInstances AssociateIamInstanceProfile ReplaceIamInstanceProfileAssociation DisassociateIamInstanceProfile
        iam:PassRole`,
      delete: "TerminateInstances",
    }),
    // Where a state volume goes after all, a snapshot of it stays.
    "aws:ebs/volume:Volume": ec2({
      create: "CreateVolume",
      read: "DescribeVolumes",
      update: "ModifyVolume DescribeVolumesModifications",
      delete: "CreateSnapshot DescribeSnapshots DeleteVolume",
    }),
    "aws:ec2/volumeAttachment:VolumeAttachment": actionsOf("ec2", {
      create: "AttachVolume",
      read: "DescribeVolumes DescribeInstances",
      delete: "StopInstances DetachVolume",
    }),
    "aws:ec2/networkInterface:NetworkInterface": ec2({
      create: "CreateNetworkInterface",
      read: "DescribeNetworkInterfaces",
      update: "ModifyNetworkInterfaceAttribute AssignPrivateIpAddresses UnassignPrivateIpAddresses",
      delete: "DetachNetworkInterface DeleteNetworkInterface",
    }),
    "aws:ec2/getAmi:getAmi": actionsOf("ec2", { read: "DescribeImages" }),
    "aws:iam/instanceProfile:InstanceProfile": actionsOf("iam", {
      create: "CreateInstanceProfile AddRoleToInstanceProfile PassRole TagInstanceProfile",
      read: "GetInstanceProfile",
      update:
        "AddRoleToInstanceProfile RemoveRoleFromInstanceProfile PassRole TagInstanceProfile UntagInstanceProfile",
      delete: "RemoveRoleFromInstanceProfile DeleteInstanceProfile",
    }),
    // AWS asks for the rights of the first launch when a group with a launch template is made or changed.
    "aws:autoscaling/group:Group": actionsOf("autoscaling", {
      create: `CreateAutoScalingGroup PutLifecycleHook CreateOrUpdateTags ec2:RunInstances ec2:CreateTags iam:PassRole
        iam:CreateServiceLinkedRole`,
      read: "DescribeAutoScalingGroups DescribeLifecycleHooks DescribeScalingActivities DescribeWarmPool",
      update: `UpdateAutoScalingGroup CreateOrUpdateTags DeleteTags StartInstanceRefresh DescribeInstanceRefreshes
        CancelInstanceRefresh ec2:RunInstances ec2:CreateTags iam:PassRole`,
      delete: "UpdateAutoScalingGroup DeleteAutoScalingGroup",
    }),
    "aws:lb/loadBalancer:LoadBalancer": balancing({
      create: "CreateLoadBalancer ModifyLoadBalancerAttributes iam:CreateServiceLinkedRole",
      read: "DescribeLoadBalancers DescribeLoadBalancerAttributes DescribeCapacityReservation",
      update: "ModifyLoadBalancerAttributes SetSecurityGroups SetSubnets SetIpAddressType",
      delete: "DeleteLoadBalancer ec2:DescribeNetworkInterfaces",
    }),
    "aws:lb/targetGroup:TargetGroup": balancing({
      create: "CreateTargetGroup ModifyTargetGroupAttributes",
      read: "DescribeTargetGroups DescribeTargetGroupAttributes",
      update: "ModifyTargetGroup ModifyTargetGroupAttributes",
      delete: "DeleteTargetGroup",
    }),
    "aws:lb/listener:Listener": balancing({
      create: "CreateListener",
      read: "DescribeListeners DescribeListenerAttributes",
      update: "ModifyListener ModifyListenerAttributes",
      delete: "DeleteListener",
    }),
    "aws:lb/targetGroupAttachment:TargetGroupAttachment": actionsOf("elasticloadbalancing", {
      create: "RegisterTargets",
      read: "DescribeTargetHealth",
      delete: "DeregisterTargets",
    }),
    "aws:ssm/parameter:Parameter": actionsOf("ssm", {
      create: "PutParameter AddTagsToResource",
      read: "GetParameter DescribeParameters ListTagsForResource",
      update: "PutParameter AddTagsToResource RemoveTagsFromResource",
      delete: "DeleteParameter",
    }),
    "aws:dlm/lifecyclePolicy:LifecyclePolicy": actionsOf("dlm", {
      create: "CreateLifecyclePolicy TagResource iam:PassRole",
      read: "GetLifecyclePolicy",
      update: "UpdateLifecyclePolicy TagResource UntagResource iam:PassRole",
      delete: "DeleteLifecyclePolicy",
    }),
  },
};
