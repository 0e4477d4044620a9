import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundleAgent } from "../../scripts/images/programs";
import { NODES, USERS } from "../../controllers/agent/kinds";
import { NODE_OPTIONS } from "../../api/agent-pod-requirements";
import { ExitCode, Failure } from "../../lib/failure";
import { publicKey } from "../../test/harness/agent/keys";
import { HostFixture } from "../../test/harness/agent/host-fixture";
import { agentToken, installAgentRights, writeCredentials } from "../../test/harness/agent/identity";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { atMost, median, round, seconds, type Benchmark } from "../benchmark";
import { stillMachine } from "../still-machine";

const USERS_COUNT = 1000;
const KEYS_EACH = 3;
const REST_SECONDS = 20;
const ROUNDS = 9;

/** One agent as it runs in its pod, on a folder that looks like a host, with many users. */
export const agent: Benchmark = {
  describes: `the agent with ${USERS_COUNT} users of ${KEYS_EACH} keys: time to all written, memory, CPU at rest, answer to a change`,

  async run(signal, say) {
    if (process.getuid?.() !== 0)
      throw new Failure(
        "The agent gives files to others, which takes root: run this as root.",
        ExitCode.prerequisite,
      );
    const work = mkdtempSync(path.join(tmpdir(), "fleetwright-agent-bench-"));
    const host = new HostFixture(tmpdir());
    const fixture = await startCoordinatorFixture();
    let child: ChildProcess | undefined;
    try {
      await Promise.all([bundleAgent(path.join(work, "agent.js")), admit(fixture, work)]);
      child = start(fixture, work, host);
      const { pid = 0 } = child;
      const idle = await settledMemory(pid);
      const idleCpu = await cpuAtRest(pid, REST_SECONDS);
      say(`without users: ${idle.toFixed(1)} MB, ${idleCpu.toFixed(3)} % of a core`);
      signal.throwIfAborted();
      const names = Array.from({ length: USERS_COUNT }, (_, index) => `user-${index}`);
      child.kill("SIGKILL");
      // Made while no agent runs: what is timed is the agent, not the server's taking of 1,000 objects.
      for (let from = 0; from < names.length; from += 50)
        await Promise.all(names.slice(from, from + 50).map((name) => makeUser(fixture, name)));
      const written = (): boolean =>
        host.read("etc/passwd").split("\n").length > USERS_COUNT && allOpen(host, names);
      await stillMachine(signal, say);
      const begun = performance.now();
      child = start(fixture, work, host);
      await waitFor("all users", written, 240_000);
      const allWritten = (performance.now() - begun) / 1000;
      say(`${USERS_COUNT} users written ${allWritten.toFixed(2)} s after the agent's start`);
      const busy = child.pid ?? 0;
      const peak = peakMemory(busy);
      const rss = await settledMemory(busy);
      const cpu = await cpuAtRest(busy, REST_SECONDS);
      say(
        `with users: ${rss.toFixed(1)} MB (${peak.toFixed(1)} at most), ${cpu.toFixed(3)} % of a core at rest`,
      );
      const add: number[] = [];
      const remove: number[] = [];
      const tamper: number[] = [];
      for (let turn = 0; turn < ROUNDS; turn++) {
        signal.throwIfAborted();
        const name = `late-${turn}`;
        add.push(
          await seconds(async () => {
            await makeUser(fixture, name);
            await until(() => host.opens(name).length === KEYS_EACH);
          }),
        );
        const file = host.at(`home/${name}/.ssh/authorized_keys`);
        // The look that follows a new watch has been taken by then.
        await new Promise((resolve) => setTimeout(resolve, 500));
        tamper.push(
          await seconds(async () => {
            appendFileSync(file, `${publicKey("eve")}\n`);
            await until(() => !readFileSync(file, "utf8").includes(publicKey("eve")));
          }),
        );
        remove.push(
          await seconds(async () => {
            await fixture.direct.delete(USERS, { name });
            await until(() => host.opens(name).length === 0);
          }),
        );
      }
      say(
        `one more user: ${median(add).toFixed(3)} s; gone: ${median(remove).toFixed(3)} s; tampering undone: ${median(tamper).toFixed(3)} s`,
      );
      return {
        figures: {
          users: USERS_COUNT,
          keysEach: KEYS_EACH,
          allWrittenSeconds: round(allWritten),
          idleMegabytes: round(idle),
          idleCpuPercent: round(idleCpu),
          withUsersMegabytes: round(rss),
          withUsersPeakMegabytes: round(peak),
          withUsersCpuPercent: round(cpu),
          addUserSeconds: { median: round(median(add)), most: round(Math.max(...add)) },
          removeUserSeconds: { median: round(median(remove)), most: round(Math.max(...remove)) },
          undoTamperingSeconds: { median: round(median(tamper)), most: round(Math.max(...tamper)) },
        },
        bars: [
          atMost("megabytes resident without users", idle, 60),
          atMost("percent of a core at rest without users", idleCpu, 0.5),
          atMost("percent of a core at rest with 1,000 users", cpu, 1),
          atMost("seconds until one more user is written, at most", Math.max(...add), 2),
          atMost("seconds until a user is shut out, at most", Math.max(...remove), 2),
          atMost("seconds until tampering is undone, at most", Math.max(...tamper), 1),
        ],
      };
    } finally {
      child?.kill("SIGKILL");
      await fixture.close();
      await rm(work, { recursive: true, force: true });
      await host.remove();
    }
  },

  plots(figures) {
    const value = (name: string): number => Number(figures[name]);
    const most = (name: string): number => {
      const found = figures[name];
      return typeof found === "object" ? (found.most ?? 0) : 0;
    };
    return [
      {
        title: "Resident memory of one agent",
        unit: "MB",
        values: [
          ["without users", value("idleMegabytes")],
          [`${USERS_COUNT} users of ${KEYS_EACH} keys, at rest`, value("withUsersMegabytes")],
          ["at most, while writing them", value("withUsersPeakMegabytes")],
        ],
      },
      {
        title: `From a change to its effect, beside ${USERS_COUNT} users, the slowest of ${ROUNDS}`,
        unit: "s",
        values: [
          ["one more user is written", most("addUserSeconds")],
          ["a user is shut out", most("removeUserSeconds")],
          ["tampering is undone", most("undoTamperingSeconds")],
        ],
      },
    ];
  },
};

function makeUser(fixture: CoordinatorFixture, name: string): Promise<unknown> {
  const sshKeys = Array.from({ length: KEYS_EACH }, (_, index) => ({ key: publicKey(`${name}-${index}`) }));
  const object = { metadata: { name }, spec: { name, sshKeys } };
  return fixture.direct.create(USERS, object);
}

async function admit(fixture: CoordinatorFixture, work: string): Promise<void> {
  await fixture.direct.create(NODES, { metadata: { name: "n1" } });
  await installAgentRights(fixture);
  writeCredentials(fixture, work, await agentToken(fixture, "n1"));
}

function start(fixture: CoordinatorFixture, work: string, host: HostFixture): ChildProcess {
  const args = [
    ...NODE_OPTIONS,
    path.join(work, "agent.js"),
    "--node=n1",
    `--host-root=${host.root}`,
    `--proc=${host.at("proc")}`,
    `--credentials=${work}`,
    `--server=${fixture.plane.endpoint}`,
    "--metadata-url=none",
    "--port=0",
    "--host=127.0.0.1",
    "--log-level=warn",
  ];
  return spawn(process.execPath, args, { env: {}, stdio: ["ignore", "inherit", "inherit"] });
}

function allOpen(host: HostFixture, names: readonly string[]): boolean {
  return names.every(
    (name) => host.maybe(`home/${name}/.ssh/authorized_keys`)?.includes("ssh-ed25519") === true,
  );
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Failure("A change had no effect within 30 s.");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function statusOf(pid: number, field: string): number {
  return (
    Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) /
    1024
  );
}

function peakMemory(pid: number): number {
  return statusOf(pid, "VmHWM");
}

/** The resident memory when it has not grown for a while. */
async function settledMemory(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 5000));
  return statusOf(pid, "VmRSS");
}

/** The share of a core that a process takes while nothing happens. */
async function cpuAtRest(pid: number, forSeconds: number): Promise<number> {
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  const before = ticks();
  await new Promise((resolve) => setTimeout(resolve, forSeconds * 1000));
  // The kernel counts a hundred ticks a second on every distribution.
  return (ticks() - before) / forSeconds;
}
