/** Aligns rows in columns as wide as their longest cell, without spaces at the ends. */
export function alignColumns(rows: readonly (readonly string[])[], between = "  "): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(between)
      .trimEnd(),
  );
}
