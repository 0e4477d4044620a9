import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { childrenOf } from "../../lib/child-processes";
import { startControlPlane, type ControlPlaneOptions } from "../../sandbox/controlplane";
import { atMost, type Benchmark, median, round, seconds } from "../benchmark";

const ROUNDS = 5;
/** What a server still does after its start belongs to the start. */
const REST_MS = 10_000;
const TICKS_PER_SECOND = 100;

/** What is compared: everything that each needs to serve with its controllers. */
const CONTENDERS = {
  hub: { server: "hub-apiserver" },
  kube: { components: { scheduler: false } },
} as const satisfies Record<string, ControlPlaneOptions>;

interface Measured {
  readySeconds: number;
  cpuSeconds: number;
  /** The API server alone, which in the hub has its controllers in it. */
  serverMegabytes: number;
  /** With etcd and the controller manager. */
  allMegabytes: number;
}

/** The hub's API server beside kube-apiserver with its controller manager: time to ready, processor, memory. */
export const hubApiserver: Benchmark = {
  describes:
    "the hub's API server beside kube-apiserver and kube-controller-manager: start, processor, memory",

  async run(signal, say, [asked]) {
    const rounds = asked === undefined ? ROUNDS : Number(asked);
    const all: Record<keyof typeof CONTENDERS, Measured[]> = { hub: [], kube: [] };
    for (let count = 0; count <= rounds; count++) {
      for (const name of ["hub", "kube"] as const) {
        const measured = await measure(CONTENDERS[name], signal);
        // The first round reads the programs from the disk; it is the warm-up.
        if (count > 0) all[name].push(measured);
        say(`${name} ${count === 0 ? "warm-up" : `round ${count}`}: ${JSON.stringify(measured)}`);
      }
    }
    const middle = (name: keyof typeof CONTENDERS): Measured => ({
      readySeconds: round(median(all[name].map((one) => one.readySeconds))),
      cpuSeconds: round(median(all[name].map((one) => one.cpuSeconds))),
      serverMegabytes: round(median(all[name].map((one) => one.serverMegabytes))),
      allMegabytes: round(median(all[name].map((one) => one.allMegabytes))),
    });
    const [hub, kube] = [middle("hub"), middle("kube")];
    return {
      figures: { rounds, hub: { ...hub }, kube: { ...kube } },
      bars: [
        atMost("time to ready, of kube-apiserver's", hub.readySeconds / kube.readySeconds, 1),
        atMost("processor time of a start, of kube-apiserver's", hub.cpuSeconds / kube.cpuSeconds, 1),
        atMost("memory of all processes, of kube-apiserver's", hub.allMegabytes / kube.allMegabytes, 1),
      ],
    };
  },

  plots({ hub, kube }) {
    const of = (figures: unknown, key: keyof Measured): number =>
      Number((figures as Record<string, number>)[key]);
    return (
      [
        ["Time to ready", "s", "readySeconds"],
        ["Processor time of a start", "s", "cpuSeconds"],
        ["Resident memory of all processes", "MB", "allMegabytes"],
      ] as const
    ).map(([title, unit, key]) => ({
      title,
      unit,
      values: [
        ["hub-apiserver", of(hub, key)],
        ["kube-apiserver, kube-controller-manager", of(kube, key)],
      ] as const,
    }));
  },
};

async function measure(options: ControlPlaneOptions, signal: AbortSignal): Promise<Measured> {
  let plane: Awaited<ReturnType<typeof startControlPlane>> | undefined;
  const readySeconds = await seconds(async () => {
    plane = await startControlPlane({ ...options, durable: true, signal });
  });
  if (plane === undefined) throw new Error("no control plane");
  try {
    await pause(REST_MS, undefined, { signal });
    const processes = plane.processes.flatMap(({ pid }) => [
      pid,
      ...childrenOf(pid).map((child) => child.pid),
    ]);
    const usage = processes.map(usageOf);
    const server = plane.processes.find(({ name }) => name.endsWith("apiserver"));
    return {
      readySeconds,
      cpuSeconds: usage.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      serverMegabytes: usageOf(server?.pid ?? 0).megabytes,
      allMegabytes: usage.reduce((sum, { megabytes }) => sum + megabytes, 0),
    };
  } finally {
    await plane.stop();
  }
}

function usageOf(pid: number): { cpuSeconds: number; megabytes: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    megabytes: (Number(kilobytes) * 1024) / 1e6,
  };
}
