import { found, type Problem } from "../../problem";

/** Ranges that let everyone in. */
export function openRangeProblems(path: string, ranges: readonly unknown[]): Problem[] {
  return ranges.flatMap((range, index) =>
    range === "0.0.0.0/0"
      ? [
          {
            path: `${path}[${index}]`,
            message: found(range, "that is everyone; name the ranges that need it"),
          },
        ]
      : [],
  );
}
