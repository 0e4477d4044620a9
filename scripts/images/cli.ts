/** `npm run images`: builds the images of our programs and uploads them, without a container engine. */
import path from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../package.json";
import { runCommand } from "../../lib/command";
import { ExitCode, Failure } from "../../lib/failure";
import { streamProgress } from "../../lib/progress";
import { buildImages } from "./build";
import { nameOf, PLATFORMS, platformsOf } from "./platforms";
import { programsIn, PROGRAMS, STACK_PROGRAMS, type Program } from "./programs";
import { pushImages } from "./push";
import { loginFor } from "./registry-login";
import { parseTarget } from "./registry-name";

const STACK = STACK_PROGRAMS.map(({ name }) => name).join(",");
const HELP = `npm run images -- build [options]
  Builds our programs as OCI image layouts, each with a bill of materials (SPDX). The same commit gives the same digests.
  A layout is read by \`skopeo copy oci:…\`, \`ctr images import\`, \`podman pull oci:…\` and push.
  --out <folder>      where the layouts go (default: dist/images)
  --tag <tag>         the tag of the images (default: ${version})
  --platform <list>   for which processors (default: ${PLATFORMS.map(nameOf).join(",")})
  --programs <list>   some of ${PROGRAMS.map(({ name }) => name).join(",")} (default: ${STACK})

npm run images -- push <registry>/<path> [options]
  Uploads what was built as <registry>/<path>/coordinator and …/agent, and prints what to write into the stack's file.
  What is there already is not sent again.
  --from <folder>     where the layouts are (default: dist/images)
  --tag <tag>         another tag than they were built with
  --programs <list>   as above: for a hub and its members \`--programs hub,syncer\`
  --plain-http        asks the registry without TLS; one on this machine always is

  The login is looked for in FLEETWRIGHT_REGISTRY_USERNAME and FLEETWRIGHT_REGISTRY_PASSWORD, in ~/.docker/config.json
  (DOCKER_CONFIG) with its credential helpers, and for ECR in the credentials of AWS (AWS_PROFILE, variables, a role).
`;

const DEFAULT_FOLDER = path.join("dist", "images");

async function main(argv: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      out: { type: "string" },
      from: { type: "string" },
      tag: { type: "string" },
      platform: { type: "string" },
      programs: { type: "string", default: STACK },
      "plain-http": { type: "boolean" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [command, ...rest] = positionals;
  const { out, from, tag, platform, "plain-http": plain } = values;
  const programs = programsIn(values.programs);
  if (tag !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(tag))
    throw new Failure(
      `--tag is ${JSON.stringify(tag)}: use up to 128 letters, digits, dots, hyphens and underscores.`,
      ExitCode.usage,
    );
  if (command === "build" && rest.length === 0 && from === undefined && plain === undefined)
    await build(out ?? DEFAULT_FOLDER, tag ?? version, platform, programs);
  else if (command === "push" && rest.length === 1 && out === undefined && platform === undefined)
    await push(rest[0] ?? "", from ?? DEFAULT_FOLDER, tag, plain === true, programs);
  else throw new Failure(`"${argv.join(" ")}" is not understood.\n${HELP}`, ExitCode.usage);
}

async function build(
  out: string,
  tag: string,
  platform: string | undefined,
  programs: readonly Program[],
): Promise<void> {
  const platforms = platform === undefined ? PLATFORMS : platformsOf(platform);
  const built = await buildImages({ out, tag, platforms, programs }, streamProgress(process.stderr));
  for (const { program, folder, digest } of built)
    process.stdout.write(`fleetwright-${program}:${tag} ${digest} ${folder}\n`);
}

async function push(
  registry: string,
  from: string,
  tag: string | undefined,
  isPlain: boolean,
  programs: readonly Program[],
): Promise<void> {
  const target = parseTarget(registry, isPlain);
  const login = await loginFor(target.host);
  const pushed = await pushImages({ from, tag, target, login, programs }, streamProgress(process.stderr));
  const lines = pushed.map(({ program, reference }) => {
    const setting = programs.find(({ name }) => name === program)?.setting;
    return setting === undefined
      ? `${program}: ${reference}\n`
      : `pulumi config set --path ${setting} ${reference}\n`;
  });
  const forStack = programs.some(({ setting }) => setting !== undefined) ? "For the stack's file:\n" : "";
  process.stdout.write(`${forStack}${lines.join("")}`);
}

if (require.main === module) runCommand(main);
