// The Data Lifecycle Manager, which moto lacks: policies are kept and refused as AWS does it. No copy is made by them.
import { randomBytes } from "node:crypto";
import { isObject, listAt, numberAt, textAt } from "../../../lib/json";
import { reply, type Refusal } from "../answer";
import type { RawAnswer } from "../backend";
import { text, type Call } from "../call";
import { ACCOUNT } from "../clients";
import { partitionOf } from "../partition";
import type { Addition } from "../rule";
import type { LifecyclePolicy, PolicyStore } from "./store";

const HOURS = [1, 2, 3, 4, 6, 8, 12, 24];
const MOST_SCHEDULES = 4;

/** Policies that copy volumes on a schedule, by the calls that make, read, change and delete them. */
export function lifecyclePolicies(store: PolicyStore): Addition {
  const { policies } = store;
  const handlers: Readonly<Record<string, (call: Call, now: string) => RawAnswer | Refusal>> = {
    CreateLifecyclePolicy(call, now) {
      const { Description, State, ExecutionRoleArn, PolicyDetails, Tags } = call.parameters;
      const PolicyId = `policy-${randomBytes(9).toString("hex").slice(0, 17)}`;
      const policy: LifecyclePolicy = {
        PolicyId,
        PolicyArn: `arn:${partitionOf(call.region)}:dlm:${call.region}:${ACCOUNT}:policy/${PolicyId}`,
        ...{ Description, State, ExecutionRoleArn, DateCreated: now, DateModified: now },
        PolicyDetails: withType(PolicyDetails),
        Tags: isObject(Tags) ? Tags : {},
      };
      const problem = problemOf(policy, Object.values(policies));
      if (problem !== undefined) return invalid(problem);
      policies[PolicyId] = policy;
      return reply({ PolicyId });
    },
    GetLifecyclePolicies: (call) => {
      const wanted = new URLSearchParams(call.raw.target.split("?")[1]).getAll("policyIds");
      const found = Object.values(policies).filter(
        ({ PolicyId }) => wanted.length === 0 || wanted.includes(PolicyId),
      );
      return reply({
        Policies: found.map(({ PolicyId, Description, State, Tags, PolicyDetails: { PolicyType } }) => ({
          ...{ PolicyId, Description, State, Tags, PolicyType },
        })),
      });
    },
    GetLifecyclePolicy: withPolicy((policy) => reply({ Policy: policy })),
    UpdateLifecyclePolicy: withPolicy((policy, call, now) => {
      const { Description, State, ExecutionRoleArn, PolicyDetails } = call.parameters;
      const given = Object.entries({ Description, State, ExecutionRoleArn }).filter(
        ([, value]) => value != null,
      );
      const changed: LifecyclePolicy = {
        ...policy,
        ...Object.fromEntries(given),
        DateModified: now,
        PolicyDetails: PolicyDetails === undefined ? policy.PolicyDetails : withType(PolicyDetails),
      };
      const problem = problemOf(changed, Object.values(policies));
      if (problem !== undefined) return invalid(problem);
      policies[policy.PolicyId] = changed;
      return reply({});
    }),
    DeleteLifecyclePolicy: withPolicy(({ PolicyId }) => {
      Reflect.deleteProperty(policies, PolicyId);
      return reply({});
    }),
    ListTagsForResource: withPolicy(({ Tags }) => reply({ Tags })),
    TagResource: withPolicy((policy, { parameters: { Tags } }) => {
      policy.Tags = { ...policy.Tags, ...(isObject(Tags) ? Tags : {}) };
      return reply({});
    }),
    UntagResource: withPolicy((policy, { raw }) => {
      const gone = new URLSearchParams(raw.target.split("?")[1]).getAll("tagKeys");
      policy.Tags = Object.fromEntries(Object.entries(policy.Tags).filter(([key]) => !gone.includes(key)));
      return reply({});
    }),
  };

  function withPolicy(work: (policy: LifecyclePolicy, call: Call, now: string) => RawAnswer | Refusal) {
    return (call: Call, now: string): RawAnswer | Refusal => {
      const [id, arn] = [text(call, "policyId"), text(call, "resourceArn")];
      const policy = Object.values(policies).find(
        ({ PolicyId, PolicyArn }) => PolicyId === id || PolicyArn === arn,
      );
      if (policy !== undefined) return work(policy, call, now);
      const message = `Could not find policy with ID ${id ?? arn ?? ""}.`;
      return { code: "ResourceNotFoundException", message, status: 404 };
    };
  }

  return {
    name: "lifecycle policies",
    answer(call, { now }) {
      const handler = call.service === "dlm" ? handlers[call.action] : undefined;
      const outcome = handler?.(call, new Date(now()).toISOString());
      if (call.mutating && outcome !== undefined) store.save();
      return Promise.resolve(outcome);
    },
  };
}

function withType(details: unknown): Record<string, unknown> {
  return { PolicyType: "EBS_SNAPSHOT_MANAGEMENT", ...(isObject(details) ? details : {}) };
}

function invalid(message: string): Refusal {
  return { code: "InvalidRequestException", message, status: 400 };
}

/** What AWS does not take about a policy, beside all the others. */
function problemOf(policy: LifecyclePolicy, others: readonly LifecyclePolicy[]): string | undefined {
  const { Description, State, ExecutionRoleArn, PolicyDetails, PolicyId } = policy;
  const [tags, schedules] = [tagsOf(policy), listAt(PolicyDetails, "Schedules")];
  if (typeof Description !== "string" || !/^[0-9A-Za-z _-]{1,500}$/.test(Description))
    return `Description has to match [0-9A-Za-z _-]+, found ${JSON.stringify(Description)}.`;
  if (State !== "ENABLED" && State !== "DISABLED")
    return `State is ENABLED or DISABLED, found ${String(State)}.`;
  if (
    typeof ExecutionRoleArn !== "string" ||
    !/^arn:aws(-[a-z]{1,3}){0,2}:iam::\d+:role\/.+$/.test(ExecutionRoleArn)
  )
    return `ExecutionRoleArn is the ARN of a role, found ${String(ExecutionRoleArn)}.`;
  if (tags.length === 0) return "PolicyDetails.TargetTags has to name a tag.";
  if (schedules.length < 1 || schedules.length > MOST_SCHEDULES)
    return `PolicyDetails.Schedules takes 1 to ${MOST_SCHEDULES}, found ${schedules.length}.`;
  const taken = others.find(
    (other) => other.PolicyId !== PolicyId && tagsOf(other).some((tag) => tags.includes(tag)),
  );
  if (taken !== undefined) return `Target tags are in use by the policy ${taken.PolicyId}.`;
  return schedules.map(scheduleProblem).find((problem) => problem !== undefined);
}

function tagsOf({ PolicyDetails }: LifecyclePolicy): string[] {
  return listAt(PolicyDetails, "TargetTags").map(
    (tag) => `${textAt(tag, "Key") ?? ""}=${textAt(tag, "Value") ?? ""}`,
  );
}

function scheduleProblem(schedule: unknown): string | undefined {
  const [interval, unit] = [
    numberAt(schedule, "CreateRule", "Interval"),
    textAt(schedule, "CreateRule", "IntervalUnit"),
  ];
  const times = listAt(schedule, "CreateRule", "Times");
  const count = numberAt(schedule, "RetainRule", "Count");
  const isTimed = textAt(schedule, "CreateRule", "CronExpression") === undefined;
  if (isTimed && (unit !== "HOURS" || !HOURS.includes(interval ?? 0)))
    return `CreateRule.Interval is one of ${HOURS.join(", ")} HOURS, found ${String(interval)} ${String(unit)}.`;
  if (times.length > 1 || !times.every((time) => /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(String(time))))
    return `CreateRule.Times is one time such as 03:00, found ${times.map(String).join(", ")}.`;
  if (count !== undefined && (count < 1 || count > 1000))
    return `RetainRule.Count is 1 to 1000, found ${count}.`;
  return undefined;
}
