import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { allows, assumableBy, ec2Principal, partitionOf } from "../iam-policy";
import { type Transform, transformed } from "../../transform";

/** Overrides for the roles of a hosted cluster. */
export interface EksRoleTransforms {
  role?: Transform<aws.iam.RoleArgs>;
}

/** The roles of a hosted cluster. */
export interface EksRoles {
  readonly cluster: aws.iam.Role;
  readonly nodes: aws.iam.Role;
  /** For the pods of add-ons that act on AWS, so that nodes themselves may not. */
  readonly network: aws.iam.Role;
  readonly volumes: aws.iam.Role;
  /** For our coordinator, which asks whether the machine of a lost node still exists, and ECR for passwords of registries. */
  readonly coordinator: aws.iam.Role;
  /** To wait for: a role without its policies is of no use. */
  readonly attachments: readonly pulumi.Resource[];
}

/** Makes the roles, each with what it needs and no more. */
export function eksRoles(
  name: string,
  tags: Readonly<Record<string, string>>,
  transform: EksRoleTransforms,
  parent: pulumi.Resource,
): EksRoles {
  const attachments: pulumi.Resource[] = [];
  const partition = partitionOf(parent);
  const arnOf = (policy: string): pulumi.Output<string> =>
    partition.apply((here) => `arn:${here.partition}:iam::aws:policy/${policy}`);
  const role = (own: string, trust: pulumi.Input<string>, policies: readonly string[]): aws.iam.Role => {
    const made = new aws.iam.Role(
      ...transformed<aws.iam.RoleArgs>(
        transform.role,
        `${name}-${own}`,
        { assumeRolePolicy: trust, tags: { ...tags } },
        { parent },
      ),
    );
    for (const policy of policies) {
      attachments.push(
        new aws.iam.RolePolicyAttachment(
          `${name}-${own}-${policy.split("/").at(-1) ?? ""}`,
          { role: made.name, policyArn: arnOf(policy) },
          { parent },
        ),
      );
    }
    return made;
  };
  const pods = assumableBy("pods.eks.amazonaws.com", ["sts:AssumeRole", "sts:TagSession"]);
  // With the right to pull it makes the credentials of ECR for the cluster's registries.
  const coordinator = role("coordinator", pods, ["AmazonEC2ContainerRegistryPullOnly"]);
  new aws.iam.RolePolicy(
    `${name}-coordinator`,
    // AWS knows no narrower resource for it.
    { role: coordinator.name, policy: allows([{ actions: ["ec2:DescribeInstances"], resources: ["*"] }]) },
    { parent },
  );
  return {
    coordinator,
    cluster: role("cluster", assumableBy("eks.amazonaws.com"), ["AmazonEKSClusterPolicy"]),
    nodes: role(
      "nodes",
      partition.apply((here) => assumableBy(ec2Principal(here))),
      ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly"],
    ),
    network: role("vpc-cni", pods, ["AmazonEKS_CNI_Policy"]),
    volumes: role("ebs-csi", pods, ["service-role/AmazonEBSCSIDriverPolicy"]),
    attachments,
  };
}
