import { cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../../lib/failure";
import { ClusterCloud } from "../../test/harness/cluster-cloud";
import type { Engine } from "../../test/harness/engine";
import { atMost, type Bar, type Benchmark, median, round, seconds } from "../benchmark";
import { stillMachine } from "../still-machine";
import { measureMistakes } from "./mistakes";

const ROUNDS = 5;
const ROOT = path.join(__dirname, "..", "..");
const POLICIES = ["--policy-pack", path.join(ROOT, "policy", "fleetwright")];

const OPERATIONS = { preview: ["preview"], up: ["up", "--yes", "--skip-preview"] } as const;
type Operation = keyof typeof OPERATIONS;
const SUBJECTS = ["empty", "dev", "devWithPolicies"] as const;
type Subject = (typeof SUBJECTS)[number];
/** What each of them says where nothing is to be changed. */
const UNCHANGED = /Resources:\n +\d+ unchanged\n/;
type Times = Record<Operation, Record<Subject, number[]>>;

/** Preview and update without change of the whole stack dev, with and without policies, beside those of an empty program. */
export const preview: Benchmark = {
  describes:
    "preview and update without change of the stack dev, with and without policies, beside an empty program, and the check of settings",

  async run(signal, say) {
    say("bringing up the stack dev, with our programs in it …");
    const cluster = await ClusterCloud.open({ programs: true });
    try {
      say(`dev came up in ${(await seconds(() => cluster.up())).toFixed(0)} s`);
      const { engine } = cluster.program;
      const empty = await emptyProgram(engine);
      const run: Record<Subject, (args: readonly string[]) => Promise<string>> = {
        empty: (args) => engine.expect(args, empty),
        dev: (args) => cluster.program.run(args),
        devWithPolicies: (args) => cluster.program.run([...args, ...POLICIES]),
      };
      await run.empty(OPERATIONS.up);
      await stillMachine(signal, say);
      const times: Times = {
        preview: { empty: [], dev: [], devWithPolicies: [] },
        up: { empty: [], dev: [], devWithPolicies: [] },
      };
      for (let turn = 0; turn <= ROUNDS; turn++) {
        for (const operation of ["preview", "up"] as const) {
          // In turns, so that whatever else the machine does falls on all.
          for (const subject of SUBJECTS) {
            signal.throwIfAborted();
            let said = "";
            const time = await seconds(async () => (said = await run[subject](OPERATIONS[operation])));
            if (!UNCHANGED.test(said))
              throw new Failure(`${operation} of ${subject} changed something:\n${said}`);
            // The first turn reads the programs from the disk and makes the bundles.
            if (turn > 0) times[operation][subject].push(time);
            say(
              `${operation} of ${subject}, ${turn === 0 ? "warm-up" : `round ${turn}`}: ${time.toFixed(2)} s`,
            );
          }
        }
      }
      const mistakes = await measureMistakes(engine, () => run.empty(OPERATIONS.preview), say);
      return {
        figures: {
          rounds: ROUNDS,
          previewSeconds: medians(times.preview),
          upSeconds: medians(times.up),
          previewOfEmptyRatio: round(ratio(times.preview, "dev", "empty")),
          upOfEmptyRatio: round(ratio(times.up, "dev", "empty")),
          ...mistakes.figures,
        },
        bars: [
          bar("preview of dev", times.preview),
          bar("update of dev without change", times.up),
          atMost("preview of dev, of that of an empty program", ratio(times.preview, "dev", "empty"), 2.5),
          ...mistakes.bars,
        ],
      };
    } finally {
      await cluster.close();
    }
  },

  plots({ previewSeconds, upSeconds }) {
    const values = (of: unknown): [string, number][] =>
      Object.entries(of as Record<Subject, number>).map(([subject, value]) => [
        TITLES[subject as Subject],
        value,
      ]);
    return [
      { title: "Preview", unit: "s", values: values(previewSeconds) },
      { title: "Update without change", unit: "s", values: values(upSeconds) },
    ];
  },
};

const TITLES: Readonly<Record<Subject, string>> = {
  empty: "an empty program",
  dev: "the stack dev",
  devWithPolicies: "the stack dev, with policies",
};

/** A program that does nothing, loaded as ours is, with the same engine. */
async function emptyProgram(engine: Engine): Promise<string> {
  const programs = path.join(ROOT, "bench", "start", "programs");
  const folder = engine.path("empty");
  await mkdir(folder);
  await cp(path.join(programs, "bundle"), folder, { recursive: true });
  await cp(path.join(programs, "index.ts"), path.join(folder, "index.ts"));
  await cp(path.join(ROOT, "run.js"), path.join(folder, "run.js"));
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await engine.expect(["stack", "init", "empty"], folder);
  return folder;
}

function medians(times: Record<Subject, number[]>): Record<string, number> {
  return Object.fromEntries(SUBJECTS.map((subject) => [subject, round(median(times[subject]))]));
}

/** How much longer one takes than the other, each time by those of the same round. */
function ratio(times: Record<Subject, number[]>, one: Subject, other: Subject): number {
  return median(times[one].map((time, turn) => time / (times[other][turn] ?? NaN)));
}

function bar(what: string, times: Record<Subject, number[]>): Bar {
  return atMost(`${what} with policies, of the same without`, ratio(times, "devWithPolicies", "dev"), 1.1);
}
