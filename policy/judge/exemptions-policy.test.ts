import { resourcesOf } from "../cases";
import { policies } from "../policies";
import { Stack } from "./resource";
import { surroundingsOf } from "./surroundings";
import { judge } from "./verdict";

const good = {
  policy: "aws-ebs-volume-encrypted",
  resource: "aws:ebs/volume:Volume::data",
  reason: "a volume with nothing on it",
  expires: "2027-01-01",
};

/** What the policies that watch over exemptions say of a config, by the pack that says it. */
function said(config: { exemptions?: unknown; settings?: unknown }): [string, string][] {
  const around = surroundingsOf(config, "prod", "2026-11-17");
  return policies
    .filter(({ name }) => name.endsWith("-exemptions"))
    .flatMap((policy) => judge(policy, new Stack(resourcesOf([])), around))
    .map(({ policy, message, stops }) => {
      expect(stops).toBe(true);
      return [policy, message];
    });
}

it("says nothing of what is in order", () => {
  const settings = {
    "fleet-cluster-node-limit": { most: 3 },
    "kubernetes-image-registry": { registries: ["a/*"] },
  };
  expect(said({ exemptions: [good], settings })).toEqual([]);
});

it.each<[string, { exemptions?: unknown; settings?: unknown }, string, RegExp]>([
  ["is over", { exemptions: [{ ...good, expires: "2026-11-16" }] }, "aws-exemptions", /ended on 2026-11-16/],
  [
    "is about no policy",
    { exemptions: [{ ...good, policy: "fleet-typo" }] },
    "fleet-exemptions",
    /policy that does not exist/,
  ],
  ["cannot be read", { exemptions: [{ ...good, expires: "never" }] }, "aws-exemptions", /expires is "never"/],
  [
    "is a setting of another type",
    { settings: { "fleet-cluster-node-limit": { most: "3" } } },
    "fleet-exemptions",
    /the setting most/,
  ],
  [
    "is a setting of no policy",
    { settings: { "aws-typo": { most: 3 } } },
    "aws-exemptions",
    /the setting most of aws-typo/,
  ],
  [
    "are settings without names",
    { settings: { "aws-kms-key-rotation": 3 } },
    "aws-exemptions",
    /are not an object/,
  ],
])("stops what %s, in the pack that it concerns", (_, config, policy, message) => {
  expect(said(config)).toEqual([[policy, expect.stringMatching(message)]]);
});

it.each([[{ exemptions: "none" }], [{ settings: "none" }]])("stops %j in every pack", (config) => {
  expect(said(config).map(([policy]) => policy)).toEqual([
    "aws-exemptions",
    "kubernetes-exemptions",
    "fleet-exemptions",
  ]);
});
