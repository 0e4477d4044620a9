// How the list of grants is printed. Pure.
import { alignColumns } from "../lib/columns";
import type { Grant } from "./grant";

const COLUMNS: readonly (readonly [string, keyof Grant])[] = [
  ["USER", "user"],
  ["SINCE", "since"],
  ["EXPIRES", "expires"],
  ["GRANT", "name"],
];

/** Grants as a table, or as JSON. */
export function describeGrants(grants: readonly Grant[], json: boolean): string {
  if (json) return `${JSON.stringify(grants, undefined, 2)}\n`;
  if (grants.length === 0) return "Nobody was given access.\n";
  const rows = [
    COLUMNS.map(([title]) => title),
    ...grants.map((grant) => COLUMNS.map(([, key]) => grant[key])),
  ];
  return `${alignColumns(rows, "   ").join("\n")}\n`;
}
