import { bad, type Cases, type Malformed } from "./case";

const key = (it: string, value: unknown, says: string) => bad(`key: ${it}`, "spec.key", value, says);
const value = (it: string, found: unknown, says: string) => bad(`value: ${it}`, "spec.value", found, says);

/** What is wrong with the key and the value of both kinds of labels. */
const malformed: Malformed[] = [
  bad("no spec", "spec", undefined, "Required value"),
  bad("a spec that is text", "spec", "a=b", "must be of type object"),
  bad("an unknown field", "spec.colour", "red", "unknown field"),
  key("none", undefined, "Required value"),
  key("empty", "", "at least 1 chars"),
  key("our own prefix", "cluster.fleetwright.dev/a", "without prefix"),
  key("another's prefix", "node-role.kubernetes.io/master", "without prefix"),
  key("a slash alone", "/", "without prefix"),
  key("a hyphen first", "-a", "must be a label name"),
  key("a hyphen last", "a-", "must be a label name"),
  key("a dot first", ".a", "must be a label name"),
  key("a dot last", "a.", "must be a label name"),
  key("an underscore first", "_a", "must be a label name"),
  key("a space", "a b", "must be a label name"),
  key("an equals sign", "a=b", "must be a label name"),
  key("a comma", "a,b", "must be a label name"),
  key("a line break", "a\nb", "must be a label name"),
  key("a line break at the end", "a\n", "must be a label name"),
  key("a Cyrillic look-alike", "аbc", "must be a label name"),
  key("64 characters", "a".repeat(64), "Too long"),
  key("a number", 7, "must be of type string"),
  key("a list", ["a"], "must be of type string"),
  value("none", undefined, "Required value"),
  value("a space", "a b", "the label's value must"),
  value("a hyphen first", "-a", "the label's value must"),
  value("a hyphen alone", "-", "the label's value must"),
  value("an underscore last", "a_", "the label's value must"),
  value("a slash", "a/b", "the label's value must"),
  value("a colon", "a:b", "the label's value must"),
  value("an emoji", "🙂", "the label's value must"),
  value("a line break", "a\n", "the label's value must"),
  value("64 characters", "a".repeat(64), "Too long"),
  value("a number", 7, "must be of type string"),
  value("a boolean", true, "must be of type string"),
  value("an object", {}, "must be of type string"),
];

/** What both validators must say of ClusterLabels. */
export const clusterLabelCases: Cases = {
  base: { key: "environment", value: "staging" },
  valid: [
    ["an empty value", { key: "a", value: "" }],
    ["the longest of both", { key: "a".repeat(63), value: "B".repeat(63) }],
    ["all characters", { key: "a.B_c-1", value: "9-_.Z" }],
  ],
  malformed: [...malformed, bad("a pool", "spec.pool", "workers", "unknown field")],
};

const pool = (it: string, found: unknown, says: string) => bad(`pool: ${it}`, "spec.pool", found, says);

/** What both validators must say of NodePoolLabels. */
export const nodePoolLabelCases: Cases = {
  base: { pool: "workers", key: "disk", value: "nvme" },
  valid: [
    ["an empty value", { pool: "a", key: "a", value: "" }],
    ["the longest of all", { pool: "0".repeat(63), key: "a".repeat(63), value: "B".repeat(63) }],
  ],
  malformed: [
    ...malformed,
    pool("none", undefined, "Required value"),
    pool("empty", "", "at least 1 chars"),
    pool("a capital letter", "Workers", "must be a DNS label"),
    pool("a dot", "a.b", "must be a DNS label"),
    pool("a hyphen last", "a-", "must be a DNS label"),
    pool("an underscore", "a_b", "must be a DNS label"),
    pool("64 characters", "a".repeat(64), "Too long"),
    pool("a number", 1, "must be of type string"),
  ],
};
