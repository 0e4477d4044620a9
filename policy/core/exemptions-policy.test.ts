import { resourcesOf } from "../testing/cases";
import { policies } from "../policies";
import { Stack } from "./resource";
import { policyContextOf } from "./policy-context";
import { evaluate } from "./evaluation";

const good = {
  policy: "aws-ebs-volume-encrypted",
  resource: "aws:ebs/volume:Volume::data",
  reason: "a volume with nothing on it",
  expires: "2027-01-01",
};

/** The violations that the exemption policies of all packs report for a config. */
function said(config: { exemptions?: unknown; settings?: unknown }): [string, string][] {
  const context = policyContextOf(config, "prod", "2026-11-17");
  return policies
    .filter(({ name }) => name.endsWith("-exemptions"))
    .flatMap((policy) => evaluate(policy, new Stack(resourcesOf([])), context))
    .map(({ policy, message, blocks }) => {
      expect(blocks).toBe(true);
      return [policy, message];
    });
}

it("accepts a valid config", () => {
  const settings = {
    "product-cluster-node-limit": { most: 3 },
    "kubernetes-image-registry": { registries: ["a/*"] },
  };
  expect(said({ exemptions: [good], settings })).toEqual([]);
});

it.each<[string, { exemptions?: unknown; settings?: unknown }, string, RegExp]>([
  [
    "is over",
    { exemptions: [{ ...good, expires: "2026-11-16" }] },
    "aws-exemptions",
    /expired on 2026-11-16/,
  ],
  [
    "names no existing policy",
    { exemptions: [{ ...good, policy: "product-typo" }] },
    "product-exemptions",
    /policy that does not exist/,
  ],
  ["is invalid", { exemptions: [{ ...good, expires: "never" }] }, "aws-exemptions", /expires is "never"/],
  [
    "is a setting of the wrong type",
    { settings: { "product-cluster-node-limit": { most: "3" } } },
    "product-exemptions",
    /node-limit.most is "3"/,
  ],
  [
    "is a setting of no policy",
    { settings: { "aws-typo": { most: 3 } } },
    "aws-exemptions",
    /aws-typo has an unknown key most/,
  ],
  [
    "are settings without names",
    { settings: { "aws-kms-key-rotation": 3 } },
    "aws-exemptions",
    /is not an object/,
  ],
])("blocks what %s, in the pack that it concerns", (_, config, policy, message) => {
  expect(said(config)).toEqual([[policy, expect.stringMatching(message)]]);
});

it.each([[{ exemptions: "none" }], [{ settings: "none" }]])("blocks %j in every pack", (config) => {
  expect(said(config).map(([policy]) => policy)).toEqual([
    "aws-exemptions",
    "kubernetes-exemptions",
    "product-exemptions",
  ]);
});
