// Test cases: valid and malformed ClusterUpgrades.
import { bad, type Cases } from "./case";
import { malformedSelectors } from "./selector";

const installer = { url: "https://example.com/install.sh", digest: `sha256:${"a".repeat(64)}` };
const version = (it: string, value: unknown, says: string) =>
  bad(`version: ${it}`, "spec.version", value, says);
const rule = (it: string, change: object, says: string, field: string) =>
  bad(
    `drain rule: ${it}`,
    "spec.drain.rules",
    [{ name: "a", ...change }],
    says,
    `spec.drain.rules[0].${field}`,
  );
const bound = (path: string, low: number, high: number) => [
  bad(`${path} below ${low}`, path, low - 1, `greater than or equal to ${low}`),
  bad(`${path} above ${high}`, path, high + 1, `less than or equal to ${high}`),
];

/** What both validators must say of ClusterUpgrades. */
export const clusterUpgradeCases: Cases = {
  base: {
    version: "v1.35.4+rke2r1",
    nodeSelector: {},
    installer,
    drain: { rules: [] },
    preflight: {},
  },
  valid: [
    ["a version of RKE2 alone", { version: "v1.35.4+rke2r1" }],
    ["a candidate", { version: "v1.36.0-rc.1+rke2r2" }],
    ["a digest of RKE2's tarball", { version: "v1.35.4+rke2r1", digest: `sha256:${"b".repeat(64)}` }],
    ["an installer", { version: "v1.35.4", installer: { ...installer, args: ["--channel", "a b"] } }],
    [
      "every bound",
      {
        version: "v1.35.4+rke2r1",
        maxUnavailable: 50,
        nodeTimeoutSeconds: 86400,
        drain: {
          timeoutSeconds: 86399,
          graceSeconds: 0,
          onTimeout: "Proceed",
          rules: [{ name: "a", order: -1000 }],
        },
        preflight: {
          skip: ["EtcdSnapshot", "VersionSkew", "BlockingPods", "Agents", "StackVersion"],
          etcdSnapshotMaxAgeSeconds: 60,
        },
        paused: true,
        aborted: true,
        onFailure: "Continue",
      },
    ],
    [
      "a selector",
      {
        version: "v1.35.4+rke2r1",
        nodeSelector: { matchExpressions: [{ key: "fleetwright.dev/node-pool", operator: "Exists" }] },
      },
    ],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("an unknown field", "spec.type", "kubernetes", "unknown field"),
    version("none", undefined, "Required value"),
    version("without v", "1.35.4+rke2r1", "must be vX.Y.Z"),
    version("two numbers", "v1.35", "must be vX.Y.Z"),
    version("a word", "latest", "must be vX.Y.Z"),
    version("a channel", "stable", "must be vX.Y.Z"),
    version("a zero before a number", "v1.035.4", "must be vX.Y.Z"),
    version("a shell command", "v1.35.4;reboot", "must be vX.Y.Z"),
    version("a line break", "v1.35.4+rke2r1\n", "must be vX.Y.Z"),
    version("another distribution", "v1.35.4+k3s1", "must be vX.Y.Z"),
    version("a number", 1.35, "must be of type string"),
    version("too long", `v1.35.4-${"a".repeat(64)}`, "Too long"),
    {
      it: "neither installer nor RKE2",
      set: { "spec.installer": undefined, "spec.version": "v1.35.4" },
      says: "or an installer with url and digest",
      at: "spec.version",
    },
    bad("an installer by plain http", "spec.installer.url", "http://example.com/a", "must be https://"),
    bad(
      "a token in the url",
      "spec.installer.url",
      "https://example.com/a?token=b",
      "could hold a credential",
    ),
    bad("an installer without url", "spec.installer.url", undefined, "Required value"),
    bad("an installer without digest", "spec.installer.digest", undefined, "Required value"),
    bad("a digest in capitals", "spec.installer.digest", `sha256:${"A".repeat(64)}`, "in lower case"),
    bad("a digest of RKE2 in another form", "spec.digest", "b".repeat(64), "must be sha256:"),
    bad("a script", "spec.installer.script", "reboot", "unknown field"),
    bad("arguments as text", "spec.installer.args", "--a", "must be of type array"),
    bad("a line break", "spec.installer.args", ["a\nb"], "must not hold control", "spec.installer.args[0]"),
    ...bound("spec.maxUnavailable", 1, 50),
    bad("a percentage", "spec.maxUnavailable", "20%", "must be of type integer"),
    ...bound("spec.nodeTimeoutSeconds", 60, 86400),
    bad("less time than the drain", "spec.nodeTimeoutSeconds", 600, "must be more than drain.timeoutSeconds"),
    ...bound("spec.drain.timeoutSeconds", 1, 86400),
    bad("a duration", "spec.drain.timeoutSeconds", "10m", "must be of type integer"),
    ...bound("spec.drain.graceSeconds", 0, 3600),
    bad("an unknown end of the drain", "spec.drain.onTimeout", "Force", "supported values"),
    bad("emptyDir as text", "spec.drain.deleteEmptyDirData", "yes", "must be of type boolean"),
    bad("a drain without bounds", "spec.drain.force", true, "unknown field"),
    rule("no name", { name: undefined }, "Required value", "name"),
    rule("a name in capitals", { name: "A" }, "must be a DNS label", "name"),
    rule("an unknown behavior", { behavior: "Delete" }, "supported values", "behavior"),
    rule(
      "an order for pods that stay",
      { behavior: "Skip", order: 1 },
      "only allowed with the behavior",
      "order",
    ),
    rule("too low an order", { order: -1001 }, "greater than or equal to -1000", "order"),
    rule(
      "a selector that is none",
      { podSelector: { matchLabels: { a: "b c" } } },
      "must be a label value",
      "podSelector.matchLabels",
    ),
    bad(
      "the same rule twice",
      "spec.drain.rules",
      [{ name: "a" }, { name: "a" }],
      "Duplicate value",
      "spec.drain.rules[1]",
    ),
    bad(
      "33 rules",
      "spec.drain.rules",
      Array.from({ length: 33 }, (_, index) => ({ name: `a${index}` })),
      "Too many",
    ),
    bad("an unknown check", "spec.preflight.skip", ["All"], "supported values", "spec.preflight.skip[0]"),
    ...bound("spec.preflight.etcdSnapshotMaxAgeSeconds", 60, 604800),
    bad("an unknown failure policy", "spec.onFailure", "Retry", "supported values"),
    bad("paused as text", "spec.paused", "yes", "must be of type boolean"),
    bad("aborted as number", "spec.aborted", 1, "must be of type boolean"),
    ...malformedSelectors("spec.nodeSelector"),
  ],
};
