import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { awsVariables } from "../../sandbox/aws";
import { ensureCloud, inspectCloud, stopCloud, type RunningCloud } from "../../sandbox/cloud";
import { waitFor } from "../../lib/deadline";
import { machineHostKey } from "../../sandbox/machines/addresses";
import { cgroupOf, membersOf } from "../../sandbox/machines/cgroup";
import { describeMachines, testCloudFolder } from "../../sandbox/machines/testing/machine-host";
import { tracesOf } from "../../sandbox/machines/testing/traces";
import { silentProgress } from "../../lib/progress";
import { FleetProgram } from "./cloud-fleet";
import { repeatable, seededNumbers, testSeeds } from "./seed";

/** Kills the engine and the cloud at a point chosen by each of so many seeds; `file` is the test's `__filename`. */
export function describeKills(count: number, file: string): void {
  const seeds = testSeeds(count);
  describeMachines("row 32: a cloud whose processes are killed", () => {
    let dir: string;
    let cloud: RunningCloud;
    let fleet: FleetProgram;
    jest.setTimeout(900_000);

    const bringUp = async (): Promise<void> => {
      cloud = await ensureCloud(dir, { progress: silentProgress, signal: new AbortController().signal });
    };
    const control = async (path: string): Promise<unknown[]> => {
      const answer: unknown = await (await fetch(`${cloud.hostEndpoint}/_fleetwright/${path}`)).json();
      if (!Array.isArray(answer)) throw new Error(`${path} is no list: ${JSON.stringify(answer)}`);
      return answer as unknown[];
    };
    /** Waits until so many calls were made, or the update is over. */
    const afterCalls = async (count: number, over: Promise<unknown>): Promise<void> => {
      const before = (await control("ledger")).length;
      const ended = over.then(() => true);
      const limit = Date.now() + 120_000;
      while (Date.now() < limit && (await control("ledger")).length < before + count) {
        if (await Promise.race([ended, pause(20)])) return;
      }
    };
    const gone = (): Promise<void> =>
      waitFor("the cloud to be gone", async () => (await inspectCloud(dir)) === undefined, {
        timeoutMs: 120_000,
      });
    const killEverything = (): void => {
      const folder = realpathSync(join(dir, "machines"));
      const key = machineHostKey(folder);
      const marks = [dir, `/run/fleetwright/${key}`];
      const named = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          try {
            const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
            return marks.some((mark) => command.includes(mark));
          } catch {
            return false;
          }
        })
        .map(Number);
      for (const pid of [...named, ...membersOf(cgroupOf(key))]) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It ended with the one before it.
        }
      }
    };

    beforeAll(async () => {
      dir = testCloudFolder();
      await bringUp();
      const network = cloud.network ?? "";
      fleet = await FleetProgram.open(awsVariables(cloud), (argv) => [
        "ip",
        "netns",
        "exec",
        network,
        ...argv,
      ]);
    });
    afterAll(async () => {
      await fleet.engine.close();
      await stopCloud(dir);
      await rm(dir, { recursive: true, force: true });
    });

    const start = () =>
      fleet.engine.start(["up", "--yes", "--skip-preview"], fleet.program, fleet.environment);

    test.each(seeds)(
      "seed %i: an engine that is killed in an update goes on in the next, and leaves no orphan",
      (seed) =>
        repeatable(seed, file, async () => {
          const random = seededNumbers(seed);
          const running = start();
          await afterCalls(1 + random(110), running.outcome);
          for (const { pid } of fleet.engine.processes()) process.kill(pid, "SIGKILL");
          await running.outcome;
          await fleet.engine.idle();
          await fleet.engine.pulumi(["cancel", "--yes"], fleet.program, fleet.environment);
          await fleet.changes("up");
          expect(Object.keys(await fleet.changes("up"))).toEqual(["same"]);
          await fleet.changes("destroy");
          expect(await control("leftovers")).toEqual([]);
        }),
    );

    describe("with machines that stay", () => {
      const members: string[] = [];
      const member = async (): Promise<string> => `server-1 ${(await fleet.outputs()).servers[1]?.id ?? ""}`;
      beforeAll(async () => {
        await fleet.changes("up");
        members.push(await member());
      });

      test.each(seeds)(
        "seed %i: a cloud that is killed whole in an update goes on with its volumes intact",
        (seed) =>
          repeatable(seed, file, async () => {
            const random = seededNumbers(seed + 1000);
            await fleet.run(["config", "set", "generation", `seed-${seed}`]);
            const running = start();
            await afterCalls(1 + random(60), running.outcome);
            killEverything();
            await running.outcome;
            await gone();
            await bringUp();
            await fleet.changes("refresh");
            await fleet.changes("up");
            expect(Object.keys(await fleet.changes("up"))).toEqual(["same"]);
            members.push(await member());
            const history = (await fleet.ssh("10.0.1.10", "cat /data/history")).trim().split("\n");
            // What was written before the kill is there, and so is the last machine's own line.
            expect(history.filter((line) => members.includes(line))).toEqual([...new Set(members)]);
          }),
      );

      test("a cloud whose own process alone is killed keeps its machines running", async () => {
        const uptime = (): Promise<string> =>
          fleet.ssh("10.0.0.10", "cat /proc/sys/kernel/random/boot_id; stat -c %Y /proc/1");
        const before = await uptime();
        process.kill(cloud.process.pid, "SIGKILL");
        await gone();
        await bringUp();
        expect(await uptime()).toBe(before);
        expect(Object.keys(await fleet.changes("up"))).toEqual(["same"]);
      });
    });

    test("nothing is left after all that", async () => {
      await fleet.changes("destroy");
      expect(await control("leftovers")).toEqual([]);
      await stopCloud(dir);
      expect(await tracesOf(join(dir, "machines"))).toEqual([]);
    });
  });
}
