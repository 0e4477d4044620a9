import { alignColumns } from "../../lib/columns";
import type { PolicyResult, Report } from "./report";

/** A report for people: what blocks, what is advised, what cannot be evaluated, what is exempt, and how each policy fared. */
export function table(report: Report, { all }: { all: boolean }): string {
  const { evaluations } = report;
  const violations = evaluations.filter(({ outcome }) => outcome === "violation");
  const lines = (title: string, entries: readonly string[]): string[] =>
    entries.length === 0
      ? []
      : ["", `${title} (${entries.length}):`, ...entries.map((entry) => `  ${entry}`)];
  const listed = (some: readonly { policy: string; message: string }[]): string[] =>
    some.map(({ policy, message }) => `${policy}\n      ${message}`);
  const shown = report.policies.filter(({ evaluated }) => all || evaluated > 0);
  return [
    `Policies for stack ${report.stack} (${report.environment}), by its ${report.from} of ${report.resources} resources, on ${report.date}.`,
    "",
    ...alignColumns([
      ["POLICY", "LEVEL", "SEVERITY", "EVALUATED", "PASSED", "RESULT", "SOURCES"],
      ...shown.map((result) => [
        result.policy,
        result.level,
        result.severity,
        String(result.evaluated),
        String(result.passed),
        resultText(result),
        result.sources.join(", "),
      ]),
    ]),
    ...lines("Blocks an update", listed(violations.filter(({ blocks }) => blocks))),
    ...lines("Advisory", listed(violations.filter(({ blocks }) => !blocks))),
    ...lines("Cannot be evaluated yet", listed(evaluations.filter(({ outcome }) => outcome === "unknown"))),
    ...lines(
      "Exemptions",
      report.exemptions.map(
        ({ policy, resource, reason, expires, state, covers }) =>
          `${policy} for ${resource}${expires === undefined ? "" : ` until ${expires}`}: ${state}${covers > 1 ? ` ${covers} times` : ""}\n      ${reason}`,
      ),
    ),
    "",
    report.blocks ? "An update of this stack would be blocked." : "No policy blocks an update of this stack.",
    "",
  ].join("\n");
}

function resultText({ evaluated, violations, unknown, exempt, blocks }: PolicyResult): string {
  if (evaluated === 0) return "-";
  const parts = [
    violations > 0 ? `${violations} ${blocks ? "violated" : "advised"}` : "",
    unknown > 0 ? `${unknown} unknown` : "",
    exempt > 0 ? `${exempt} exempt` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "ok" : parts.join(", ");
}
