import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosenOnce, identifies, local, replaces, updates } from "../core/property";
import { fromTagList, tagList } from "../core/tags";

const path = { replaces: true, fallback: "/" };
const policyText = { required: true, json: true };

/** What something may do, and who may be it. */
export const role = declare<aws.iam.RoleArgs, aws.iam.RoleState>({
  token: "aws:iam/role:Role",
  properties: {
    assumeRolePolicy: policyText,
    description: updates,
    forceDetachPolicies: { ...local, fallback: false },
    maxSessionDuration: { fallback: 3600 },
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    path,
    permissionsBoundary: updates,
  },
  name: { property: "name", maxLength: 64, prefixProperty: "namePrefix" },
  global: true,
  tagging: {
    set: async ({ aws }, RoleName, _state, tags) =>
      (await aws.iam()).tagRole({ RoleName, Tags: tagList(tags) }),
    remove: async ({ aws }, RoleName, _state, TagKeys) =>
      (await aws.iam()).untagRole({ RoleName, TagKeys: [...TagKeys] }),
  },
  async create({ aws }, inputs) {
    const { Role } = await (
      await aws.iam()
    ).createRole({
      AssumeRolePolicyDocument: inputs.assumeRolePolicy,
      Description: inputs.description,
      MaxSessionDuration: inputs.maxSessionDuration,
      Path: inputs.path,
      PermissionsBoundary: inputs.permissionsBoundary,
      RoleName: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      Tags: tagList(inputs.tags),
    });
    return given(Role?.RoleName, "the name of the role");
  },
  async read({ aws }, id) {
    const { Role: found } = await (await aws.iam()).getRole({ RoleName: id });
    if (found === undefined) return undefined;
    return {
      arn: found.Arn,
      assumeRolePolicy: decodeURIComponent(found.AssumeRolePolicyDocument ?? ""),
      createDate: found.CreateDate?.toISOString(),
      description: found.Description ?? "",
      maxSessionDuration: found.MaxSessionDuration ?? 3600,
      name: found.RoleName,
      path: found.Path,
      permissionsBoundary: found.PermissionsBoundary?.PermissionsBoundaryArn ?? "",
      tags: fromTagList(found.Tags),
      uniqueId: found.RoleId,
    };
  },
  async update({ aws }, id, news, { has }) {
    const iam = await aws.iam();
    if (has("assumeRolePolicy"))
      await iam.updateAssumeRolePolicy({ RoleName: id, PolicyDocument: news.assumeRolePolicy });
    if (has("description", "maxSessionDuration")) {
      await iam.updateRole({
        RoleName: id,
        Description: news.description ?? "",
        MaxSessionDuration: news.maxSessionDuration,
      });
    }
    if (has("permissionsBoundary")) {
      await (news.permissionsBoundary === undefined
        ? iam.deleteRolePermissionsBoundary({ RoleName: id }).catch((error: unknown) => {
            if (!isAbsent(error)) throw error;
          })
        : iam.putRolePermissionsBoundary({ RoleName: id, PermissionsBoundary: news.permissionsBoundary }));
    }
  },
  async delete({ aws }, id, state) {
    const iam = await aws.iam();
    const { InstanceProfiles } = await iam.listInstanceProfilesForRole({ RoleName: id });
    for (const { InstanceProfileName } of InstanceProfiles ?? []) {
      await iam.removeRoleFromInstanceProfile({ RoleName: id, InstanceProfileName });
    }
    if (state.forceDetachPolicies === true) {
      for (const { PolicyArn } of (await iam.listAttachedRolePolicies({ RoleName: id })).AttachedPolicies ??
        []) {
        await iam.detachRolePolicy({ RoleName: id, PolicyArn });
      }
      for (const PolicyName of (await iam.listRolePolicies({ RoleName: id })).PolicyNames ?? []) {
        await iam.deleteRolePolicy({ RoleName: id, PolicyName });
      }
    }
    await iam.deleteRole({ RoleName: id });
  },
});

/** A policy of the account's own. */
export const policy = declare<aws.iam.PolicyArgs, aws.iam.PolicyState>({
  token: "aws:iam/policy:Policy",
  properties: {
    description: replaces,
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    path,
    policy: policyText,
  },
  name: { property: "name", maxLength: 128, prefixProperty: "namePrefix" },
  global: true,
  tagging: {
    set: async ({ aws }, PolicyArn, _state, tags) =>
      (await aws.iam()).tagPolicy({ PolicyArn, Tags: tagList(tags) }),
    remove: async ({ aws }, PolicyArn, _state, TagKeys) =>
      (await aws.iam()).untagPolicy({ PolicyArn, TagKeys: [...TagKeys] }),
  },
  async create({ aws }, inputs) {
    const { Policy } = await (
      await aws.iam()
    ).createPolicy({
      Description: inputs.description,
      Path: inputs.path,
      PolicyDocument: inputs.policy,
      PolicyName: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      Tags: tagList(inputs.tags),
    });
    return given(Policy?.Arn, "the ARN of the policy");
  },
  async read({ aws }, id) {
    const iam = await aws.iam();
    const { Policy: found } = await iam.getPolicy({ PolicyArn: id });
    if (found === undefined) return undefined;
    const { PolicyVersion } = await iam.getPolicyVersion({
      PolicyArn: id,
      VersionId: found.DefaultVersionId,
    });
    return {
      arn: found.Arn,
      attachmentCount: found.AttachmentCount ?? 0,
      description: found.Description ?? "",
      name: found.PolicyName,
      path: found.Path,
      policy: decodeURIComponent(PolicyVersion?.Document ?? ""),
      policyId: found.PolicyId,
      tags: fromTagList(found.Tags),
    };
  },
  async update({ aws }, id, news, { has }) {
    if (!has("policy")) return;
    const iam = await aws.iam();
    const { Versions } = await iam.listPolicyVersions({ PolicyArn: id });
    const old = (Versions ?? []).filter(({ IsDefaultVersion }) => IsDefaultVersion !== true);
    // AWS keeps five versions at most.
    if (old.length >= 4) await iam.deletePolicyVersion({ PolicyArn: id, VersionId: old.at(-1)?.VersionId });
    await iam.createPolicyVersion({ PolicyArn: id, PolicyDocument: news.policy, SetAsDefault: true });
  },
  async delete({ aws }, id) {
    const iam = await aws.iam();
    const { Versions } = await iam.listPolicyVersions({ PolicyArn: id });
    for (const { VersionId, IsDefaultVersion } of Versions ?? []) {
      if (IsDefaultVersion !== true) await iam.deletePolicyVersion({ PolicyArn: id, VersionId });
    }
    await iam.deletePolicy({ PolicyArn: id });
  },
});

/** That a role has a policy. */
export const rolePolicyAttachment = declare<
  aws.iam.RolePolicyAttachmentArgs,
  aws.iam.RolePolicyAttachmentState
>({
  token: "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  properties: { policyArn: identifies, role: identifies },
  global: true,
  async create({ aws }, { policyArn, role: name }) {
    await (await aws.iam()).attachRolePolicy({ PolicyArn: policyArn, RoleName: name });
    return `${name}/${policyArn}`;
  },
  fromImport: (given) => ({
    id: given,
    known: { policyArn: given.slice(given.indexOf("/") + 1), role: given.slice(0, given.indexOf("/")) },
  }),
  async read({ aws }, _id, { policyArn, role: name }) {
    const iam = await aws.iam();
    for (let Marker: string | undefined; ;) {
      const page = await iam.listAttachedRolePolicies({ RoleName: name, Marker });
      if (page.AttachedPolicies?.some(({ PolicyArn }) => PolicyArn === policyArn))
        return { policyArn, role: name };
      Marker = page.Marker;
      if (page.IsTruncated !== true) return undefined;
    }
  },
  delete: async ({ aws }, _id, { policyArn, role: name }) =>
    (await aws.iam()).detachRolePolicy({ PolicyArn: policyArn, RoleName: name }),
});

/** A policy that belongs to one role. */
export const rolePolicy = declare<aws.iam.RolePolicyArgs, aws.iam.RolePolicyState>({
  token: "aws:iam/rolePolicy:RolePolicy",
  properties: {
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    policy: policyText,
    role: identifies,
  },
  name: { property: "name", maxLength: 128, prefixProperty: "namePrefix" },
  global: true,
  async create({ aws }, inputs) {
    const PolicyName = inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`;
    await (
      await aws.iam()
    ).putRolePolicy({ PolicyDocument: inputs.policy, PolicyName, RoleName: inputs.role });
    return `${inputs.role}:${PolicyName}`;
  },
  async read({ aws }, id) {
    const [RoleName = "", PolicyName = ""] = id.split(":");
    const found = await (await aws.iam()).getRolePolicy({ PolicyName, RoleName });
    return {
      name: found.PolicyName,
      policy: decodeURIComponent(found.PolicyDocument ?? ""),
      role: found.RoleName,
    };
  },
  async update({ aws }, id, news) {
    const [RoleName = "", PolicyName = ""] = id.split(":");
    await (await aws.iam()).putRolePolicy({ PolicyDocument: news.policy, PolicyName, RoleName });
  },
  async delete({ aws }, id) {
    const [RoleName = "", PolicyName = ""] = id.split(":");
    await (await aws.iam()).deleteRolePolicy({ PolicyName, RoleName });
  },
});
