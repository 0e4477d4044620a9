import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { dump, load } from "js-yaml";
import { Failure } from "../../lib/failure";
import type { Engine } from "../../test/harness/engine";
import { atMost, type Bar, median, round, seconds } from "../benchmark";

const ROUNDS = 5;
const ROOT = path.join(__dirname, "..", "..");
/** One mistake in each kind of setting, in a stack of the usual size. */
const SETTINGS = {
  "fleetwright:environment": "dev",
  "fleetwright:cluster": {
    version: "v1.35.4+rke2r1",
    selfManaged: { bootstrap: true, servers: { cuont: 3 } },
    pools: [{ name: "web" }],
  },
  "fleetwright:users": Array.from({ length: 50 }, (_, index) => ({
    name: index === 7 ? "root" : `user-${index}`,
  })),
  "fleetwright:nodeLabels": { cluster: { tier: "a b" }, pools: { wbe: { disk: "nvme" } } },
  "fleetwright:roles": [{ name: "viewer", rules: [{ nonResourceURLs: ["/healthz"], verbs: ["get"] }] }],
  "fleetwright:bindings": [{ role: "viewr", team: "support" }],
  "fleetwright:pluginz": [],
};
/** The check as the program makes it, from the loading of its first file, with its time. */
const CHECK = `import { performance } from "node:perf_hooks";
import "@pulumi/pulumi";
const begun = performance.now();
try {
  (require("./config") as typeof import("./config")).readConfig();
} catch {
  console.log("checked in " + (performance.now() - begun).toFixed(1) + " ms");
}
`;

/** What a preview of settings with mistakes takes, beside one of an empty program, and the check alone. */
export async function measureMistakes(
  engine: Engine,
  empty: () => Promise<unknown>,
  say: (line: string) => void,
): Promise<{ figures: Record<string, number>; bars: Bar[] }> {
  const mistakes = await program(engine, "mistakes", await readFile(path.join(ROOT, "index.ts"), "utf8"));
  const check = await program(engine, "check", CHECK);
  const times: { empty: number[]; mistakes: number[]; check: number[] } = {
    empty: [],
    mistakes: [],
    check: [],
  };
  for (let turn = 0; turn <= ROUNDS; turn++) {
    const one = {
      empty: await seconds(empty),
      mistakes: await seconds(async () => {
        const { stdout } = await engine.pulumi(["preview"], mistakes);
        if (!stdout.includes("Invalid stack settings (6 problems)"))
          throw new Failure(`the mistakes were not found:\n${stdout}`);
      }),
      check: Number(/checked in ([\d.]+) ms/.exec((await engine.pulumi(["preview"], check)).stdout)?.[1]),
    };
    say(
      `${turn === 0 ? "warm-up" : `round ${turn}`}: empty ${one.empty.toFixed(2)} s, with mistakes ${one.mistakes.toFixed(2)} s, check ${one.check.toFixed(0)} ms`,
    );
    if (turn === 0) continue;
    times.empty.push(one.empty);
    times.mistakes.push(one.mistakes);
    times.check.push(one.check);
  }
  const more = median(times.mistakes.map((time, turn) => time - (times.empty[turn] ?? NaN)));
  const checkMs = median(times.check);
  return {
    figures: { mistakesSeconds: round(median(times.mistakes)), settingsCheckMs: round(checkMs) },
    bars: [
      atMost(
        "seconds that a preview of settings with mistakes takes more than an empty program's",
        more,
        0.5,
      ),
      atMost("milliseconds that the check of a stack's settings takes in the program", checkMs, 200),
    ],
  };
}

async function program(engine: Engine, name: string, index: string): Promise<string> {
  const folder = engine.path(name);
  await mkdir(folder);
  for (const file of ["Pulumi.yaml", "package.json", "run.js", "config.ts", "way-in.ts"])
    await cp(path.join(ROOT, file), path.join(folder, file));
  for (const entry of ["api", "components", "lib", "node_modules", "preview", "tunnel"])
    await symlink(path.join(ROOT, entry), path.join(folder, entry));
  await writeFile(path.join(folder, "index.ts"), index);
  await engine.expect(["stack", "init", name], folder);
  const file = path.join(folder, `Pulumi.${name}.yaml`);
  const found: unknown = load(await readFile(file, "utf8"));
  await writeFile(file, dump({ ...(typeof found === "object" ? found : {}), config: SETTINGS }));
  return folder;
}
