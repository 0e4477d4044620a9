import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosenOnce, replaces, updates } from "../core/property";
import { fromTagList, tagList } from "../core/tags";

/** What gives an instance its role. */
export const instanceProfile = declare<aws.iam.InstanceProfileArgs, aws.iam.InstanceProfileState>({
  token: "aws:iam/instanceProfile:InstanceProfile",
  properties: {
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    path: { replaces: true, fallback: "/" },
    role: updates,
  },
  name: { property: "name", maxLength: 128, prefixProperty: "namePrefix" },
  global: true,
  tagging: {
    set: async ({ aws }, InstanceProfileName, _state, tags) =>
      (await aws.iam()).tagInstanceProfile({ InstanceProfileName, Tags: tagList(tags) }),
    remove: async ({ aws }, InstanceProfileName, _state, TagKeys) =>
      (await aws.iam()).untagInstanceProfile({ InstanceProfileName, TagKeys: [...TagKeys] }),
  },
  async create(context, inputs) {
    const iam = await context.aws.iam();
    const { InstanceProfile } = await iam.createInstanceProfile({
      InstanceProfileName: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      Path: inputs.path,
      Tags: tagList(inputs.tags),
    });
    const id = context.started(
      given(InstanceProfile?.InstanceProfileName, "the name of the instance profile"),
    );
    if (inputs.role !== undefined)
      await iam.addRoleToInstanceProfile({ InstanceProfileName: id, RoleName: inputs.role });
    return id;
  },
  async read({ aws }, id) {
    const { InstanceProfile: found } = await (
      await aws.iam()
    ).getInstanceProfile({ InstanceProfileName: id });
    if (found === undefined) return undefined;
    return {
      arn: found.Arn,
      createDate: found.CreateDate?.toISOString(),
      name: found.InstanceProfileName,
      path: found.Path,
      role: found.Roles?.[0]?.RoleName,
      tags: fromTagList(found.Tags),
      uniqueId: found.InstanceProfileId,
    };
  },
  async update({ aws }, id, news, { olds }) {
    const iam = await aws.iam();
    if (olds.role === news.role) return;
    if (olds.role !== undefined)
      await iam.removeRoleFromInstanceProfile({ InstanceProfileName: id, RoleName: olds.role });
    if (news.role !== undefined)
      await iam.addRoleToInstanceProfile({ InstanceProfileName: id, RoleName: news.role });
  },
  async delete({ aws }, id, state) {
    const iam = await aws.iam();
    if (state.role !== undefined) {
      await iam
        .removeRoleFromInstanceProfile({ InstanceProfileName: id, RoleName: state.role })
        .catch((error: unknown) => {
          if (!isAbsent(error)) throw error;
        });
    }
    await iam.deleteInstanceProfile({ InstanceProfileName: id });
  },
});
