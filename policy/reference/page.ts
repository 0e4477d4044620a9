import { CATALOGUE, FRAMEWORKS } from "./catalogue";
import { ENFORCEMENT, type Policy } from "../core/policy";

/** The page docs/policies.md: every policy, and the rules of public frameworks that it implements. */
export function matrixPage(policies: readonly Policy[]): string {
  return [
    "# Policies",
    '[policy.md](policy.md) explains how to use them, and how to write exemptions and settings. The enforcement level of MUST is `mandatory`, of SHOULD `advisory`, of MAY `disabled`; "MUST in production" is `advisory` elsewhere.',
    ...["aws", "kubernetes", "product"].flatMap((pack) => packSection(pack, policies)),
    "## By framework",
    "CIS ids were compared with kube-bench's copies of the benchmarks; most ids of AWS FSBP and Checkov are from general knowledge. The NSA guide has no numbers, so the word names its chapter. Policies evaluate what Pulumi declares; kube-bench checks what runs on nodes.",
    ...FRAMEWORKS.flatMap((framework) => frameworkSection(framework, policies)),
    "## By rule of our catalogue",
    "The packs implement a catalogue of rules; some rules became several policies, each with its own message.",
    table(
      ["#", "rule", "policies"],
      CATALOGUE.map(({ rule }, index) => [
        String(index + 1),
        rule,
        listed(policies.filter(({ rules }) => rules.includes(index + 1))),
      ]),
    ),
    "## Settings",
    table(
      ["policy", "setting", "default"],
      policies.flatMap(({ name, settings }) =>
        Object.entries(settings).map(([setting, schema]) => [
          `\`${name}\``,
          `\`${setting}\`: ${schema.description}`,
          `\`${JSON.stringify(schema.default)}\``,
        ]),
      ),
    ),
    "",
  ].join("\n\n");
}

/** The same as JSON, for docs/policies.json. */
export function matrixJson(policies: readonly Policy[]): string {
  const entries = policies.map((policy) => ({
    name: policy.name,
    description: policy.description,
    level: policy.level,
    enforcement: ENFORCEMENT[policy.level],
    onlyInProduction: policy.inProduction ?? false,
    severity: policy.severity,
    sources: policy.sources,
    rules: policy.rules,
    types: policy.types,
    remediates: policy.remediate !== undefined,
  }));
  return JSON.stringify(entries, undefined, 2);
}

function packSection(pack: string, policies: readonly Policy[]): string[] {
  return [
    `## Pack ${pack}`,
    table(
      ["policy", "description", "level", "severity", "sources", "remediation steps"],
      policies
        .filter(({ name }) => name.startsWith(`${pack}-`))
        .map((policy) => [
          `\`${policy.name}\``,
          policy.description,
          `${policy.level}${policy.inProduction === undefined ? "" : " in production"}`,
          policy.severity,
          policy.sources.join(", "),
          `${policy.remediationSteps}${policy.remediate === undefined ? "" : " Can be remediated."}`,
        ]),
    ),
  ];
}

function frameworkSection(
  [prefix, name, version]: (typeof FRAMEWORKS)[number],
  policies: readonly Policy[],
): string[] {
  const ids = [...new Set(policies.flatMap(({ sources }) => sources))]
    .filter((id) =>
      prefix === "CKV" ? id.startsWith("CKV") : id.startsWith(`${prefix} `) || id.startsWith(`${prefix}.`),
    )
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return [
    `### ${name}${version === "" ? "" : ` (${version})`}`,
    table(
      ["id", "policies"],
      ids.map((id) => [id, listed(policies.filter(({ sources }) => sources.includes(id)))]),
    ),
  ];
}

function listed(policies: readonly Policy[]): string {
  return policies.map(({ name }) => `\`${name}\``).join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
