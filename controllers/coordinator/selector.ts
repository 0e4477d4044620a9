import type { LabelSelector } from "../../api";

/** Whether labels fit a selector. An empty one fits all. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const found = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (operator === "Exists") return found !== undefined;
      if (operator === "DoesNotExist") return found === undefined;
      const among = found !== undefined && values.includes(found);
      return operator === "In" ? among : !among;
    })
  );
}
