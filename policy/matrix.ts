import { CATALOGUE, FRAMEWORKS } from "./catalogue";
import { ENFORCEMENT, type Policy } from "./judge/policy";

/** The page that says which policies there are, and which of the rules of others they carry out. */
export function matrixPage(policies: readonly Policy[]): string {
  return [
    "<!-- Written by policy/generate.ts from the policies. Do not edit. -->",
    "# Policies",
    "How to use them, write exemptions and settings: [policy.md](policy.md). MUST is `mandatory` to the engine, SHOULD `advisory`, MAY `disabled`; MUST in production means `advisory` elsewhere.",
    ...["aws", "kubernetes", "fleet"].flatMap((pack) => packSection(pack, policies)),
    "## By framework",
    "Ids of the CIS benchmarks were compared with kube-bench's copies of them, those of AWS FSBP and Checkov for the most part are from general knowledge; NSA's guide has no numbers, so the word names its chapter. To carry out a rule here means to judge what Pulumi declares: what runs on nodes besides, kube-bench looks at.",
    ...FRAMEWORKS.flatMap((framework) => frameworkSection(framework, policies)),
    "## By rule of the catalogue",
    "The packs were built from a catalogue of rules; some became several policies, each with a message of its own.",
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

/** The same for programs. */
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
      ["policy", "what has to be true", "level", "severity", "sources", "how to meet it"],
      policies
        .filter(({ name }) => name.startsWith(`${pack}-`))
        .map((policy) => [
          `\`${policy.name}\``,
          policy.description,
          `${policy.level}${policy.inProduction === undefined ? "" : " in production"}`,
          policy.severity,
          policy.sources.join(", "),
          `${policy.steps}${policy.remediate === undefined ? "" : " Can repair itself."}`,
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
