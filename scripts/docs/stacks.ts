// Writes the parts of pages that show a stack, out of what `pulumi preview --json` or `pulumi stack export` wrote, given on the
// standard input. With --check it writes nothing and fails if one is stale; with --print it shows any stack's and writes nothing.
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { withBlock } from "./block";
import { blocksOf, viewOf } from "./stack-pages";

const DOCS = path.resolve(__dirname, "../../docs");

async function main(argv: readonly string[]): Promise<void> {
  const view = viewOf(JSON.parse(readFileSync(0, "utf8")));
  if (view === undefined) throw new Error("this is neither a preview nor a state");
  if (argv.includes("--print")) {
    console.log(`${view.diagram}\n\n${view.costs}`);
    return;
  }
  const blocks = blocksOf(view);
  if (blocks.length === 0) throw new Error(`no page shows the stack ${view.stack}; --print does`);
  for (const block of blocks) {
    const file = path.join(DOCS, block.page);
    const found = await readFile(file, "utf8");
    const wanted = await format(withBlock(found, block), { ...(await resolveConfig(file)), filepath: file });
    if (found === wanted) continue;
    if (!argv.includes("--check")) {
      await writeFile(file, wanted);
      continue;
    }
    console.error(
      `docs/${block.page} is stale in "${block.name}". Run FLEETWRIGHT_WRITE_DOCS=1 npx jest test/e2e/stacks.test.ts and commit the result.`,
    );
    process.exitCode = 1;
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`scripts/docs/stacks.ts: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
});
