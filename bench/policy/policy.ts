import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { policyContextOf } from "../../policy/core/policy-context";
import type { Resource } from "../../policy/core/resource";
import { policies } from "../../policy/policies";
import { readSource } from "../../policy/report/source";
import { Analyzer } from "../../policy/testing/analyzer";
import { startAws } from "../../sandbox/aws";
import { sandboxEnvironment } from "../../sandbox/environment";
import { sandboxLayout } from "../../sandbox/layout";
import { Failure } from "../../lib/failure";
import { installProviders } from "../../sandbox/providers";
import { Sandbox } from "../../sandbox/sandbox";
import { atMost, type Benchmark, median, round, seconds } from "../benchmark";

const ROUNDS = 3;
const MANY = 1000;
const ROOT = path.join(__dirname, "..", "..");
/** Without policies, in the process that the engine starts itself, and in one that a language host starts. */
const WAYS = {
  none: [],
  executable: ["--policy-pack", path.join(ROOT, "policy", "fleetwright")],
  folder: ["--policy-pack", path.join(ROOT, "policy")],
} as const;
type Way = keyof typeof WAYS;

/** What policies add to the first preview of the stack dev (`preview` measures a stack that exists), and their time for a thousand resources. */
export const policy: Benchmark = {
  describes:
    "what the policies add to the first preview of the stack dev, and their time for 1,000 resources",

  async run(signal, say) {
    const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-bench-"));
    const aws = await startAws();
    try {
      const project = await dev(folder, aws.endpoint);
      await new Sandbox("bench", folder).prepare({ signal });
      const layout = sandboxLayout(folder, "bench");
      await installProviders(layout.pulumiHome, ["aws", "command", "tls"]);
      const env = sandboxEnvironment(layout, {
        endpoint: aws.endpoint,
        region: "eu-central-1",
        images: {},
      });
      await pulumi(["stack", "init", "dev"], project, env);
      const times: Record<Way, number[]> = { none: [], executable: [], folder: [] };
      for (let turn = 0; turn <= ROUNDS; turn++) {
        // In turns, so that whatever else the machine does falls on all.
        for (const way of Object.keys(WAYS) as Way[]) {
          const time = await seconds(() => pulumi(["preview", ...WAYS[way]], project, env));
          // The first turn reads the programs from the disk and makes the bundles.
          if (turn > 0) times[way].push(time);
          say(`preview of dev, ${way}, ${turn === 0 ? "warm-up" : `round ${turn}`}: ${time.toFixed(2)} s`);
        }
      }
      const shown: unknown = JSON.parse(await pulumi(["preview", "--json"], project, env));
      const evaluated = await evaluateMany(shown, say);
      const ratio = (way: Way): number =>
        median(times[way].map((time, turn) => time / (times.none[turn] ?? NaN)));
      return {
        figures: {
          rounds: ROUNDS,
          policies: policies.length,
          previewSeconds: round(median(times.none)),
          previewWithPoliciesSeconds: round(median(times.executable)),
          previewWithPolicyFolderSeconds: round(median(times.folder)),
          folderRatio: round(ratio("folder")),
          ...evaluated,
        },
        bars: [atMost("first preview of dev with policies, of the same without", ratio("executable"), 1.1)],
      };
    } finally {
      await aws.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },

  plots(figures) {
    return [
      {
        title: "First preview of the stack dev",
        unit: "s",
        values: [
          ["without policies", Number(figures.previewSeconds)],
          ["with them, as an executable", Number(figures.previewWithPoliciesSeconds)],
          ["with them, by the language host", Number(figures.previewWithPolicyFolderSeconds)],
        ],
      },
    ];
  },
};

/** The project with the stack dev, whose AWS is the one of this run. */
async function dev(folder: string, endpoint: string): Promise<string> {
  const project = path.join(folder, "project");
  for (const file of [
    "Pulumi.yaml",
    "package.json",
    "run.js",
    "index.ts",
    "config.ts",
    "way-in.ts",
    "api",
    "components",
    "controllers",
    "lib",
    "preview",
    "tunnel",
  ])
    await cp(path.join(ROOT, file), path.join(project, file), { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(project, "node_modules"));
  const settings = await readFile(path.join(ROOT, "Pulumi.dev.yaml"), "utf8");
  await writeFile(
    path.join(project, "Pulumi.dev.yaml"),
    settings.replaceAll("http://127.0.0.1:4566", endpoint),
  );
  return project;
}

/** Evaluates a thousand resources like those of the preview, by the SDK's own functions: one by one, and as a stack. */
async function evaluateMany(
  preview: unknown,
  say: (line: string) => void,
): Promise<Record<"resources" | "evaluateSecondsPer1000" | "evaluateStackSecondsPer1000", number>> {
  const source = readSource(preview);
  if (source === undefined) throw new Failure("The preview could not be read as JSON.");
  const many = (of: readonly Resource[]): Resource[] =>
    Array.from({ length: MANY }, (_, index) => {
      const resource = of[index % of.length];
      if (resource === undefined) throw new Failure("The preview shows no resources.");
      return { ...resource, urn: `${resource.urn}-${index}` };
    });
  const analysis = new Analyzer(policies, policyContextOf({}, "dev"));
  const [single, whole]: [number[], number[]] = [[], []];
  for (let turn = 0; turn <= ROUNDS; turn++) {
    const one = await seconds(async () => {
      for (const resource of many(source.byInputs)) await analysis.resource(resource);
    });
    const all = await seconds(() => analysis.stack(many(source.byOutputs)));
    say(`${MANY} resources: ${one.toFixed(2)} s one by one, ${all.toFixed(2)} s as a stack`);
    if (turn > 0) {
      single.push(one);
      whole.push(all);
    }
  }
  return {
    resources: source.byInputs.length,
    evaluateSecondsPer1000: round(median(single)),
    evaluateStackSecondsPer1000: round(median(whole)),
  };
}

function pulumi(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      "pulumi",
      [...args, "--non-interactive"],
      { cwd, env, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Failure(`pulumi ${args.join(" ")} failed:\n${stdout}${stderr}`));
      },
    );
  });
}
