import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Outcome, Plot } from "./benchmark";

/** Writes a run's figures as JSON and its plots as one picture. */
export async function report(
  folder: string,
  outcome: Outcome & { bench: string },
  plots: readonly Plot[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const machine = {
    cores: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    kernel: os.release().split("-")[0],
    node: process.versions.node,
  };
  const content = { ...outcome, measured: new Date().toISOString().slice(0, 10), machine };
  await writeFile(path.join(folder, `${outcome.bench}.json`), `${JSON.stringify(content, undefined, 2)}\n`);
  await writeFile(path.join(folder, `${outcome.bench}.svg`), drawPlots(plots));
}

const WIDTH = 720;
const LABEL = 260;
const ROW = 26;

/** Horizontal bar charts, one under the other. */
export function drawPlots(plots: readonly Plot[]): string {
  let y = 0;
  const parts: string[] = [];
  for (const { title, unit, values } of plots) {
    const top = Math.max(...values.map(([, value]) => value));
    y += 34;
    parts.push(
      `<text x="12" y="${y}" font-size="15" font-weight="bold">${escape(title)} (${escape(unit)})</text>`,
    );
    for (const [label, value] of values) {
      y += ROW;
      const length = top === 0 ? 0 : (value / top) * (WIDTH - LABEL - 90);
      parts.push(
        `<text x="${LABEL - 8}" y="${y}" text-anchor="end">${escape(label)}</text>`,
        `<rect x="${LABEL}" y="${y - 13}" width="${length.toFixed(1)}" height="16" fill="#3b6ea5"/>`,
        `<text x="${(LABEL + length + 6).toFixed(1)}" y="${y}">${value}</text>`,
      );
    }
  }
  const height = y + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>${parts.join("")}</svg>\n`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
