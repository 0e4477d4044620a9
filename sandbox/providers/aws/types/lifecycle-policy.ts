import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { Plain } from "../core/declaration";
import { declare } from "../core/declaration";
import { required } from "../core/property";
import { fromTagList, tagList, tagsOf } from "../core/tags";
import { isList, isRecord, type Values } from "../core/value";

type State = Plain<aws.dlm.LifecyclePolicyState>;

/** Copies of volumes on a schedule. */
export const lifecyclePolicy = declare<aws.dlm.LifecyclePolicyArgs, aws.dlm.LifecyclePolicyState>({
  token: "aws:dlm/lifecyclePolicy:LifecyclePolicy",
  properties: {
    description: required,
    executionRoleArn: required,
    policyDetails: required,
    state: { fallback: "ENABLED", oneOf: ["ENABLED", "DISABLED"] },
  },
  tagging: {
    set: async ({ aws }, _id, { arn }, tags) => aws.dlm().tagResource(String(arn), tags),
    remove: async ({ aws }, _id, { arn }, keys) => aws.dlm().untagResource(String(arn), keys),
  },
  async create({ aws }, inputs) {
    const { PolicyId } = await aws.dlm().createLifecyclePolicy({
      ...settings(inputs),
      Tags: tagsOf(inputs.tags),
    });
    return given(typeof PolicyId === "string" ? PolicyId : undefined, "the id of the policy");
  },
  async read({ aws }, id) {
    const { Policy: found } = await aws.dlm().getLifecyclePolicy(id);
    if (!isRecord(found)) return undefined;
    // As AWS's API reference says of each of them.
    return {
      arn: found.PolicyArn,
      description: found.Description,
      executionRoleArn: found.ExecutionRoleArn,
      policyDetails: received(found.PolicyDetails),
      state: found.State,
      tags: tagsOf(found.Tags),
    } as State;
  },
  update: async ({ aws }, id, news) => aws.dlm().updateLifecyclePolicy(id, settings(news)),
  delete: async ({ aws }, id) => aws.dlm().deleteLifecyclePolicy(id),
});

function settings({
  description,
  executionRoleArn,
  policyDetails,
  state,
}: Plain<aws.dlm.LifecyclePolicyArgs>): Values {
  return {
    Description: description,
    ExecutionRoleArn: executionRoleArn,
    PolicyDetails: sent(policyDetails),
    State: state,
  };
}

/** Maps here, lists of keys and values at AWS. */
const TAGS = ["targetTags", "tagsToAdd", "variableTags", "excludeTags"];
/** One value here, a list of one at AWS. */
const SINGLE = ["times", "resourceLocations"];

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const small = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** Details as AWS takes them. */
function sent(value: unknown): unknown {
  if (isList(value)) return value.map(sent);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
  return Object.fromEntries(
    entries.map(([name, item]) => {
      if (TAGS.includes(name)) return [capital(name), tagList(tagsOf(item))];
      return [capital(name), SINGLE.includes(name) ? [item] : sent(item)];
    }),
  );
}

/** The way back. */
function received(value: unknown): unknown {
  if (isList(value)) return value.map(received);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([theirs, item]) => {
      const name = small(theirs);
      if (TAGS.includes(name)) return [name, fromTagList(isList(item) ? item.filter(isRecord) : [])];
      return [name, SINGLE.includes(name) && isList(item) ? item[0] : received(item)];
    }),
  );
}
