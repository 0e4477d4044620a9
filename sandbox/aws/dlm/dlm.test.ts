import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseJson, textAt } from "../../../lib/json";
import { startAws, type Aws } from "../aws";

const ROLE = "arn:aws:iam::123456789012:role/snapshots";
const dir = mkdtempSync(path.join(tmpdir(), "fleetwright-dlm-"));
let aws: Aws;
beforeAll(async () => {
  aws = await startAws({ dir });
});
afterAll(async () => {
  await aws.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A call as the API reference writes it; the sandbox reads of the signature only whose call it is. */
async function call(method: string, target: string, body?: object): Promise<[number, unknown]> {
  const scope = "AKIAIOSFODNN7EXAMPLE/20261119/eu-central-1/dlm/aws4_request";
  const answer = await fetch(`${aws.endpoint}${target}`, {
    method,
    headers: { authorization: `AWS4-HMAC-SHA256 Credential=${scope}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [answer.status, parseJson(await answer.text())];
}

const policy = (cluster: string, change: object = {}, schedule: object = {}): object => ({
  Description: `State volumes of ${cluster}`,
  ExecutionRoleArn: ROLE,
  State: "ENABLED",
  PolicyDetails: {
    ResourceTypes: ["VOLUME"],
    TargetTags: [{ Key: "fleetwright.dev/state-of", Value: cluster }],
    Schedules: [
      {
        Name: "state",
        CreateRule: { Interval: 24, IntervalUnit: "HOURS", Times: ["03:00"] },
        RetainRule: { Count: 7 },
        CopyTags: true,
        ...schedule,
      },
    ],
  },
  ...change,
});

const made = async (cluster: string): Promise<string> => {
  const [status, answer] = await call("POST", "/policies", policy(cluster, { Tags: { team: "a" } }));
  expect([status, answer]).toEqual([
    200,
    { PolicyId: expect.stringMatching(/^policy-[0-9a-f]{17}$/) as string },
  ]);
  return textAt(answer, "PolicyId") ?? "";
};

test("a policy answers with what it was made with, is changed, tagged and deleted", async () => {
  const id = await made("one");
  const arn = `arn:aws:dlm:eu-central-1:123456789012:policy/${id}`;
  expect(await call("GET", `/policies/${id}/`)).toEqual([
    200,
    {
      Policy: expect.objectContaining({
        ...{ PolicyId: id, PolicyArn: arn, State: "ENABLED", ExecutionRoleArn: ROLE, Tags: { team: "a" } },
        PolicyDetails: expect.objectContaining({
          PolicyType: "EBS_SNAPSHOT_MANAGEMENT",
          ResourceTypes: ["VOLUME"],
        }) as object,
      }) as object,
    },
  ]);
  expect(await call("PATCH", `/policies/${id}`, { State: "DISABLED" })).toEqual([200, {}]);
  expect(await call("POST", `/tags/${encodeURIComponent(arn)}`, { Tags: { stage: "b" } })).toEqual([200, {}]);
  expect(await call("DELETE", `/tags/${encodeURIComponent(arn)}?tagKeys=team`)).toEqual([200, {}]);
  expect(await call("GET", "/policies")).toMatchObject([
    200,
    {
      Policies: [
        { PolicyId: id, State: "DISABLED", Tags: { stage: "b" }, Description: "State volumes of one" },
      ],
    },
  ]);
  expect(await call("DELETE", `/policies/${id}/`)).toEqual([200, {}]);
  expect(await call("GET", `/policies/${id}/`)).toEqual([
    404,
    { message: expect.stringContaining(id) as string },
  ]);
});

test.each<[string, object, RegExp]>([
  ["a description with other characters", policy("two", { Description: "a: b" }), /Description/],
  ["no role", policy("two", { ExecutionRoleArn: "snapshots" }), /ExecutionRoleArn/],
  ["another state", policy("two", { State: "ON" }), /State/],
  ["no tag to go by", policy("two", { PolicyDetails: { Schedules: [{}] } }), /TargetTags/],
  ["every five hours", policy("two", {}, { CreateRule: { Interval: 5, IntervalUnit: "HOURS" } }), /Interval/],
  [
    "a time that is none",
    policy("two", {}, { CreateRule: { Interval: 24, IntervalUnit: "HOURS", Times: ["3:00"] } }),
    /Times/,
  ],
  ["none kept", policy("two", {}, { RetainRule: { Count: 0 } }), /Count/],
])("%s is refused", async (_, body, message) => {
  const [status, answer] = await call("POST", "/policies", body);
  expect([status, textAt(answer, "message")]).toEqual([400, expect.stringMatching(message)]);
});

test("two policies for the same volumes are refused, and what was made is a leftover until it is deleted", async () => {
  const id = await made("three");
  expect((await call("POST", "/policies", policy("three")))[0]).toBe(400);
  expect(await aws.leftovers()).toContainEqual({ kind: "dlm lifecycle policy", id });
  await call("DELETE", `/policies/${id}`);
  expect(await aws.leftovers()).toEqual([]);
});

test("policies outlive a restart", async () => {
  const id = await made("four");
  await aws.stop();
  aws = await startAws({ dir });
  expect((await call("GET", `/policies/${id}`))[0]).toBe(200);
});
