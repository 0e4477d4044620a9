import type { ResourceType } from "@aws-sdk/client-ec2";
import type { Tagging } from "../core/declaration";
import type { Tags } from "../core/tags";
import { tagList } from "../core/tags";

/** Tags of everything in EC2, by id. */
export const ec2Tagging: Tagging = {
  set: async ({ aws }, id, _state, tags) =>
    (await aws.ec2()).createTags({ Resources: [id], Tags: tagList(tags) }),
  remove: async ({ aws }, id, _state, keys) =>
    (await aws.ec2()).deleteTags({ Resources: [id], Tags: keys.map((Key) => ({ Key })) }),
};

/** Tags that EC2 sets together with the creation. */
export function tagged(type: ResourceType, tags: Tags | undefined) {
  const list = tagList(tags);
  return list.length === 0 ? undefined : [{ ResourceType: type, Tags: list }];
}
