import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { allows, assumableBy, ec2Principal, partitionOf, type Statement } from "../iam-policy";
import { type Transform, transformed } from "../../transform";

/** Overrides for the role of nodes. */
export interface RoleTransforms {
  role?: Transform<aws.iam.RoleArgs>;
}

/** What nodes may do. */
export interface RoleSettings {
  /** In so many words; nothing else. */
  readonly statements: pulumi.Input<Statement[]>;
  /** Whether there are any; policies must not be empty. */
  readonly isNeeded: boolean;
  /** Policies of AWS or of yours. */
  readonly policyArns: readonly pulumi.Input<string>[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The role of nodes, as an instance profile. */
export function nodeRole(
  name: string,
  settings: RoleSettings,
  transform: RoleTransforms,
  parent: pulumi.Resource,
): aws.iam.InstanceProfile {
  const tags = { ...settings.tags };
  const role = new aws.iam.Role(
    ...transformed<aws.iam.RoleArgs>(
      transform.role,
      name,
      { assumeRolePolicy: partitionOf(parent).apply((here) => assumableBy(ec2Principal(here))), tags },
      { parent },
    ),
  );
  if (settings.isNeeded) {
    new aws.iam.RolePolicy(
      name,
      { role: role.name, policy: pulumi.output(settings.statements).apply(allows) },
      { parent },
    );
  }
  settings.policyArns.forEach((policyArn, index) => {
    new aws.iam.RolePolicyAttachment(`${name}-${index}`, { role: role.name, policyArn }, { parent });
  });
  return new aws.iam.InstanceProfile(name, { role: role.name, tags }, { parent });
}
