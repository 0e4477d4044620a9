import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { inspectControlPlane, startControlPlane } from "../../sandbox/controlplane";
import { sandboxEnvironment } from "../../sandbox/environment";
import { sandboxLayout } from "../../sandbox/layout";
import { Failure } from "../../lib/failure";
import { Sandbox } from "../../sandbox/sandbox";
import { atMost, type Benchmark, median, round, seconds } from "../benchmark";

const ROUNDS = 5;
const PROGRAMS = path.join(__dirname, "programs");
/** The same program, loaded as ours is (run.js) and as Pulumi loads TypeScript by itself. */
const LOADERS = ["bundle", "ts-node"] as const;
type Loader = (typeof LOADERS)[number];
/** ts-node keeps what it compiled until the program changes; a person who works on a program changes it every time. */
const STATES = ["unchanged", "edited"] as const;
type State = (typeof STATES)[number];

/** Time to a ready control plane, and of the preview of an empty program as ours is loaded and as Pulumi's default is. */
export const start: Benchmark = {
  describes: "time to a ready control plane, of an empty preview, and the memory of each process",

  async run(signal, say) {
    const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-bench-"));
    try {
      const ready: number[] = [];
      let memory: Record<string, number> = {};
      for (let round = 0; round <= ROUNDS; round++) {
        let plane: Awaited<ReturnType<typeof startControlPlane>> | undefined;
        const time = await seconds(async () => {
          plane = await startControlPlane({ nodes: 3, signal, dir: path.join(folder, `plane-${round}`) });
        });
        // The first round reads the programs from the disk; it is the warm-up.
        if (round > 0) ready.push(time);
        say(`control plane ${round === 0 ? "warm-up" : `round ${round}`}: ${time.toFixed(2)} s`);
        const components = (await inspectControlPlane(path.join(folder, `plane-${round}`)))?.components ?? [];
        memory = Object.fromEntries(
          components.map(({ name, residentBytes }) => [name, Math.round((residentBytes ?? 0) / 1e6)]),
        );
        await plane?.stop();
      }
      const previews = await measurePreviews(folder, signal, say);
      return {
        figures: {
          rounds: ROUNDS,
          controlPlaneReadySeconds: round(median(ready)),
          emptyPreviewSeconds: round(median(previews.bundle.unchanged)),
          emptyPreviewAfterEditSeconds: round(median(previews.bundle.edited)),
          tsNodePreviewSeconds: round(median(previews["ts-node"].unchanged)),
          tsNodePreviewAfterEditSeconds: round(median(previews["ts-node"].edited)),
          residentMegabytes: memory,
        },
        bars: [
          atMost("seconds to a ready control plane", median(ready), 10),
          atMost(
            "preview after an edit, of the same through ts-node",
            median(previews.bundle.edited) / median(previews["ts-node"].edited),
            1,
          ),
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },

  plots({ residentMegabytes, ...figures }) {
    return [
      {
        title: "Time",
        unit: "s",
        values: [
          ["control plane ready", Number(figures.controlPlaneReadySeconds)],
          ["empty preview", Number(figures.emptyPreviewSeconds)],
          ["… through ts-node", Number(figures.tsNodePreviewSeconds)],
          ["empty preview after an edit", Number(figures.emptyPreviewAfterEditSeconds)],
          ["… through ts-node", Number(figures.tsNodePreviewAfterEditSeconds)],
        ],
      },
      {
        title: "Resident memory",
        unit: "MB",
        values: typeof residentMegabytes === "object" ? Object.entries(residentMegabytes) : [],
      },
    ];
  },
};

async function measurePreviews(
  folder: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Record<Loader, Record<State, number[]>>> {
  const layout = sandboxLayout(folder, "bench");
  await new Sandbox("bench", folder).prepare({ signal });
  const env = sandboxEnvironment(layout);
  const times = { bundle: { unchanged: [], edited: [] }, "ts-node": { unchanged: [], edited: [] } } as Record<
    Loader,
    Record<State, number[]>
  >;
  const root = path.join(__dirname, "..", "..");
  for (const loader of LOADERS) {
    const program = path.join(folder, loader);
    await cp(path.join(PROGRAMS, loader), program, { recursive: true });
    await cp(path.join(root, "tsconfig.json"), path.join(program, "tsconfig.json"));
    await cp(path.join(root, "run.js"), path.join(program, "run.js"));
    await cp(path.join(PROGRAMS, "index.ts"), path.join(program, "index.ts"));
    await symlink(path.join(root, "node_modules"), path.join(program, "node_modules"));
    await pulumi(["stack", "init", "bench"], program, env);
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const state of [...STATES].reverse()) {
      // In turns, so that whatever else the machine does falls on both.
      for (const loader of LOADERS) {
        const program = path.join(folder, loader);
        if (state === "edited") await appendFile(path.join(program, "index.ts"), `// round ${round}\n`);
        const time = await seconds(() => pulumi(["preview"], program, env));
        if (round > 0) times[loader][state].push(time);
        say(
          `empty preview by ${loader}, ${state}, ${round === 0 ? "warm-up" : `round ${round}`}: ${time.toFixed(2)} s`,
        );
      }
    }
  }
  return times;
}

function pulumi(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile("pulumi", [...args, "--non-interactive"], { cwd, env }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Failure(`pulumi ${args.join(" ")} failed:\n${stdout}${stderr}`));
    });
  });
}
