/** `npm run images`: packs the images of our programs, without a container engine. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../package.json";
import { runCommand } from "../../lib/command";
import { ExitCode, Failure } from "../../lib/failure";
import { streamProgress } from "../../lib/progress";
import { ensureImageNode } from "../../sandbox/node-release";
import { bundleInto, packProgram, PROGRAMS } from "./programs";

const HELP = `npm run images -- build [options]
  Packs the coordinator and the agent as archives that \`docker load\` and \`skopeo copy docker-archive:…\` read.
  --out <folder>   where the archives go (default: dist/images)
  --tag <tag>      the tag of the images (default: ${version})
`;

async function main(argv: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      out: { type: "string", default: path.join("dist", "images") },
      tag: { type: "string", default: version },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [command, ...rest] = positionals;
  if (command !== "build" || rest.length > 0)
    throw new Failure(`Unknown command "${positionals.join(" ")}".\n${HELP}`, ExitCode.usage);
  await build(values.out, values.tag);
}

async function build(out: string, tag: string): Promise<void> {
  const progress = streamProgress(process.stderr);
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-images-"));
  try {
    await ensureImageNode(progress);
    for (const program of PROGRAMS) {
      const archive = path.join(out, `fleetwright-${program.name}.tar`);
      const reference = `fleetwright-${program.name}:${tag}`;
      await progress.step(`packing ${reference}`, async () => {
        await packProgram(program, { reference, bundle: await bundleInto(work, program), archive });
      });
      process.stdout.write(`${reference} ${archive}\n`);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

if (require.main === module) runCommand(main);
