import { DescribeSecurityGroupsCommand, type SecurityGroup } from "@aws-sdk/client-ec2";
import { text } from "../call";
import type { RefusalRule } from "../rule";
import { interfaces } from "./lookup";

/** A security group that an interface has, or that a rule of another group names, stays. */
export const securityGroupDeletion: RefusalRule = {
  name: "security group deletion",
  calls: ["ec2:DeleteSecurityGroup"],
  async check(call, context) {
    const id = text(call, "GroupId");
    if (id === undefined) return undefined;
    const users = await interfaces(context, "group-id", id);
    const all = await context.aws.ec2.send(new DescribeSecurityGroupsCommand({}));
    if (users.length === 0 && !isReferenced(id, all.SecurityGroups ?? [])) return undefined;
    return { code: "DependencyViolation", message: `resource ${id} has a dependent object` };
  },
};

/** Whether another group's rules name this one. */
export function isReferenced(id: string, groups: readonly SecurityGroup[]): boolean {
  return groups
    .filter(({ GroupId }) => GroupId !== id)
    .flatMap(({ IpPermissions, IpPermissionsEgress }) => [
      ...(IpPermissions ?? []),
      ...(IpPermissionsEgress ?? []),
    ])
    .some(({ UserIdGroupPairs }) => UserIdGroupPairs?.some(({ GroupId }) => GroupId === id) === true);
}
