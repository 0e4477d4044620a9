// How an explanation is printed. Pure.
import type { ImportObject, NegotiatedObject } from "../controllers/hub/apis/kinds";
import type { Imported, Plan } from "../controllers/hub/apis/plan";
import { lackingFields, type Explanation } from "../controllers/negotiation";

/** Narrows what is printed. */
export interface Wanted {
  cluster?: string | undefined;
  field?: string | undefined;
}

/** Why clusters and fields fell out. */
export function describePlan(
  { metadata, spec, status }: NegotiatedObject,
  { clusters, explanations }: Plan,
  imports: readonly ImportObject[],
  wanted: Wanted,
): string {
  const fit = clusters.filter(({ compatible }) => compatible).length;
  const published = status?.conditions?.find(({ type }) => type === "Published");
  const lines = [
    `${metadata.name}: ${fit} of ${clusters.length} clusters fit (${spec.strategy}). ${published?.message ?? ""}`.trim(),
    "",
  ];
  for (const { name, compatible, message } of clusters) {
    if (wanted.cluster !== undefined && wanted.cluster !== name) continue;
    // What the hub found with the objects that it stores says more than what can be seen from here.
    const said = imports
      .find((one) => one.spec.cluster === name)
      ?.status?.conditions?.find(({ type }) => type === "Compatible");
    const fits = said === undefined ? compatible : said.status === "True";
    lines.push(`${fits ? "fits    " : "left out"}  ${name}: ${said?.message ?? message}`);
  }
  const shown = explanations.filter((one) => concerns(one, wanted));
  for (const one of shown) lines.push("", ...describe(one));
  if (shown.length === 0) lines.push("", "There is nothing at which they differ.");
  return `${lines.join("\n")}\n`;
}

function concerns({ path, losers, values }: Explanation, { cluster, field }: Wanted): boolean {
  const below =
    field === undefined ||
    path === field ||
    (/^[.[{]/.test(path.slice(field.length)) && path.startsWith(field));
  return below && (cluster === undefined || losers.includes(cluster) || cluster in values);
}

const EFFECTS: Readonly<Record<Explanation["effect"], string>> = {
  Incompatible: "nothing fits all of them",
  Dropped: "the hub does not have it",
  Narrowed: "the hub takes what all of them take",
  Note: "only the cluster itself can tell",
};

function describe({ path, rule, effect, values, by, document }: Explanation): string[] {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return [
    `${path === "" ? "(the object)" : path}  ${rule}: ${EFFECTS[effect]}`,
    ...Object.entries(values).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...(document === undefined
      ? []
      : [`  ${by ?? "one"} takes this, the hub refuses it: ${JSON.stringify(document)}`]),
  ];
}

/** Which clusters lack a field that an object uses. */
export function describeFields(
  name: string,
  object: Readonly<Record<string, unknown>>,
  imports: readonly Imported[],
): string {
  const rows = imports
    .map(({ object: { spec }, schema }) => ({
      cluster: spec.cluster,
      lacking: lackingFields(schema, object),
    }))
    .sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  if (rows.length === 0) return `No cluster has ${name}.\n`;
  return rows
    .map(({ cluster, lacking }) =>
      lacking.length === 0
        ? `${cluster}: knows every field of it\n`
        : `${cluster}: does not know ${lacking.join(", ")}\n`,
    )
    .join("");
}
