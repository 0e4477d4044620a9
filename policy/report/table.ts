import type { PolicyResult, Report } from "./report";

/** A report for people: what stops, what is advised, what cannot be judged, what is exempt, and how each policy fared. */
export function table(report: Report, { all }: { all: boolean }): string {
  const { verdicts } = report;
  const violations = verdicts.filter(({ outcome }) => outcome === "violation");
  const lines = (title: string, entries: readonly string[]): string[] =>
    entries.length === 0
      ? []
      : ["", `${title} (${entries.length}):`, ...entries.map((entry) => `  ${entry}`)];
  const told = (some: readonly { policy: string; message: string }[]): string[] =>
    some.map(({ policy, message }) => `${policy}\n      ${message}`);
  const shown = report.policies.filter(({ judged }) => all || judged > 0);
  return [
    `Policies for the stack ${report.stack} (${report.environment}), by its ${report.from} of ${report.resources} resources, on ${report.date}.`,
    "",
    ...columns([
      ["POLICY", "LEVEL", "SEVERITY", "JUDGED", "PASSED", "RESULT", "SOURCES"],
      ...shown.map((result) => [
        result.policy,
        result.level,
        result.severity,
        String(result.judged),
        String(result.passed),
        resultText(result),
        result.sources.join(", "),
      ]),
    ]),
    ...lines("Stops an update", told(violations.filter(({ stops }) => stops))),
    ...lines("Advice", told(violations.filter(({ stops }) => !stops))),
    ...lines("Cannot be judged yet", told(verdicts.filter(({ outcome }) => outcome === "unknown"))),
    ...lines(
      "Exemptions",
      report.exemptions.map(
        ({ policy, resource, reason, expires, state, covers }) =>
          `${policy} for ${resource} until ${expires}: ${state}${covers > 1 ? ` ${covers} times` : ""}\n      ${reason}`,
      ),
    ),
    "",
    report.stops
      ? "An update of this stack would be stopped."
      : "Nothing here stops an update of this stack.",
    "",
  ].join("\n");
}

function resultText({ judged, violations, unknown, exempt, stops }: PolicyResult): string {
  if (judged === 0) return "-";
  const parts = [
    violations > 0 ? `${violations} ${stops ? "violated" : "advised"}` : "",
    unknown > 0 ? `${unknown} unknown` : "",
    exempt > 0 ? `${exempt} exempt` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "ok" : parts.join(", ");
}

/** Rows as columns of the width that they need; the last one is free. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
