import { bad, type Malformed } from "./case";

/** What is wrong with a label selector, wherever it stands. */
export function malformedSelectors(at: string): Malformed[] {
  const expression = (it: string, value: object, says: string, field: string) =>
    bad(`${at}: ${it}`, at, { matchExpressions: [value] }, says, `${at}.matchExpressions[0].${field}`);
  const labels = (it: string, value: unknown, says: string) =>
    bad(`${at}: ${it}`, at, { matchLabels: value }, says, `${at}.matchLabels`);
  return [
    expression(
      "an unknown operator",
      { key: "a", operator: "Gt", values: ["1"] },
      "supported values",
      "operator",
    ),
    expression("no operator", { key: "a" }, "Required value", "operator"),
    expression("no key", { operator: "Exists" }, "Required value", "key"),
    expression("a key that is none", { key: "a b", operator: "Exists" }, "must be a label key", "key"),
    expression("In without values", { key: "a", operator: "In" }, "In and NotIn", "values"),
    expression("NotIn with no value", { key: "a", operator: "NotIn", values: [] }, "In and NotIn", "values"),
    expression("Exists with values", { key: "a", operator: "Exists", values: ["b"] }, "Exists and", "values"),
    expression(
      "a value that is none",
      { key: "a", operator: "In", values: ["b c"] },
      "the label's value must",
      "values[0]",
    ),
    labels("a key with two slashes", { "a/b/c": "d" }, "must be a label key"),
    labels("an empty key", { "": "d" }, "must be a label key"),
    labels("a value with a space", { a: "b c" }, "must be a label value"),
    labels("a list", ["a"], "must be of type object"),
    bad(`${at}: an unknown field`, at, { matchNames: ["a"] }, "unknown field", `${at}.matchNames`),
  ];
}
