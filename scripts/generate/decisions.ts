import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { GeneratedFiles } from "./index";
import { pageMark } from "./mark";

const FOLDER = "docs/decisions";

const INTRODUCTION = `# Decisions

One short page for each decision that a successor would ask about: what was chosen, why, and what was tried instead.
A decision that turns out wrong is changed here, with the reason.
`;

/** The index of the decisions, from their headings: written by hand it was merged into several copies of itself. */
export function decisionFiles(): GeneratedFiles {
  const root = path.resolve(__dirname, "../..");
  const rows = readdirSync(path.join(root, FOLDER))
    .filter((file) => /^\d{4}-.*\.md$/.test(file))
    .sort()
    .map((file) => row(file, readFileSync(path.join(root, FOLDER, file), "utf8")));
  const table = ["| | |", "| --- | --- |", ...rows].join("\n");
  return new Map([
    [`${FOLDER}/README.md`, `${pageMark("the headings of the pages")}${INTRODUCTION}\n${table}\n`],
  ]);
}

function row(file: string, text: string): string {
  const number = file.slice(0, 4);
  const [, title] = new RegExp(`^# ${number}: (.+)\n`).exec(text) ?? [];
  if (title === undefined)
    throw new Error(`${FOLDER}/${file} has to begin with "# ${number}: " and its title.`);
  return `| [${number}](${file}) | ${title} |`;
}
