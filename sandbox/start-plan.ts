import { load } from "js-yaml";
import { at, listAt, textAt } from "../lib/json";
import type { Availability } from "./machines/availability";
import { TOOL_SETS, type ToolName } from "./toolchain";
import type { SystemPackage } from "./toolchain/system-packages";

// Decides, before anything is done, what a start installs, makes and brings up, and puts it into words. Nothing here looks
// at the host: that is host.ts.

/** The context of every sandbox's own control plane; the stack `existing` names it, so that it reaches no other cluster. */
export const KUBE_CONTEXT = "fleetwright-sandbox";

/** The stack of a start that was not given one: a whole cluster on machines, or simulated nodes where none can run. */
export const DEFAULT_STACK = { withMachines: "dev", withoutMachines: "existing" } as const;

/** What decides whether machines can run. */
export interface MachineFacts {
  uid: number;
  debianLike: boolean;
  /** Whether system packages may be installed: `--no-install` forbids it. */
  mayInstall: boolean;
  missingPackages: readonly SystemPackage[];
  /** Whether machines can run as the host is now. */
  now: Availability;
  /** Whether they could if every system package were installed. */
  withPackages: Availability;
}

/** Whether a start has machines, and what it takes. */
export type MachinePlan =
  | { kind: "ready" }
  | { kind: "install"; packages: readonly SystemPackage[] }
  /** `reason` completes a sentence about what was left out, `remedy` is what to type. */
  | { kind: "unavailable"; reason: string; remedy: string };

/** Decides about machines. */
export function planMachines(facts: MachineFacts): MachinePlan {
  const { uid, debianLike, mayInstall, missingPackages, now, withPackages } = facts;
  if (!withPackages.ok) {
    const remedy =
      uid === 0
        ? "use a host that has them, and run `npm start` there"
        : `sudo env PATH="$PATH" HOME="$HOME" npm start`;
    return { kind: "unavailable", reason: withPackages.reason, remedy };
  }
  if (missingPackages.length > 0 && debianLike && mayInstall)
    return { kind: "install", packages: missingPackages };
  if (now.ok) return { kind: "ready" };
  const names = missingPackages.map(({ debian }) => debian);
  const remedy =
    names.length === 0
      ? "install what is missing, then npm start"
      : debianLike
        ? "npm run tools -- system --install && npm start"
        : `install ${names.join(", ")} (as Debian calls them), then npm start`;
  return { kind: "unavailable", reason: now.reason, remedy };
}

/** What a stack needs of the sandbox. */
export interface StackNeeds {
  machines: boolean;
  /** The sandbox's own control plane. */
  controlPlane: boolean;
  /** The names of small clusters to be members of the sandbox's hub, which is needed if there are some. */
  members: readonly string[];
}

/** What a stack needs of the sandbox, read from the text of its settings file. */
export function stackNeeds(settings: string): StackNeeds {
  const config = at(load(settings), "config");
  return {
    machines: at(config, "fleetwright:cluster") !== undefined,
    controlPlane: textAt(config, "fleetwright:kubeContext") === KUBE_CONTEXT,
    members: listAt(config, "fleetwright:members").flatMap((member) => {
      const name = textAt(member, "name") ?? "";
      return textAt(member, "kubeContext") === `${KUBE_CONTEXT}-${name}` ? [name] : [];
    }),
  };
}

/** The tools that are needed to bring up a sandbox and a stack in it, each once. */
export function toolsFor(needs: { machines: boolean; controlPlane: boolean }): ToolName[] {
  return [
    ...new Set<ToolName>([
      ...(needs.controlPlane ? TOOL_SETS.controlplane : []),
      ...(needs.machines ? TOOL_SETS.rke2 : []),
      ...COMMAND_LINE_TOOLS,
    ]),
  ];
}

/** What a shell and the engine need on any sandbox. */
export const COMMAND_LINE_TOOLS = [
  "kubectl",
  "pulumi",
  "pulumi-language-nodejs",
  "pulumi-resource-kubernetes",
] as const satisfies readonly ToolName[];

/** Something that is made once and then kept in the cache: a tool, the machines' image, a Python environment. */
export interface WorkItem {
  title: string;
  /** Processor minutes. */
  minutes: number;
  gigabytes: number;
  /** Whether it may be had by download instead, in seconds. */
  downloadable: boolean;
}

/** The share of the time that all cores are busy; more than eight never are. */
const USED = 0.9;
const MAX_CORES = 8;

/** Roughly how long the work takes if everything is built, and how much disk. */
export function estimate(work: readonly WorkItem[], cores: number): { minutes: number; gigabytes: number } {
  const minutes = work.reduce((sum, item) => sum + item.minutes, 0);
  const gigabytes = work.reduce((sum, item) => sum + item.gigabytes, 0);
  return {
    minutes: Math.ceil(minutes / (Math.min(cores, MAX_CORES) * USED)),
    gigabytes: Math.ceil(gigabytes),
  };
}

/** What the estimate is for. */
export interface Builder {
  cores: number;
  freeGigabytes: number | undefined;
  /** Whether tools may be downloaded. */
  downloads: boolean;
}

/** What is about to be installed and made, with time and disk, in the first seconds of a start. */
export function describePlan(machines: MachinePlan, work: readonly WorkItem[], builder: Builder): string[] {
  return [...describeMachines(machines), ...describeWork(work, builder)];
}

function describeMachines(machines: MachinePlan): string[] {
  switch (machines.kind) {
    case "ready":
      return [];
    case "install":
      return [
        ` • installing ${count(machines.packages.length, "system package")} that machines need: ${machines.packages
          .map(({ debian, purpose }) => `${debian} (${purpose})`)
          .join(", ")}; npm start -- --no-install leaves that to you`,
      ];
    case "unavailable":
      return [` • no machines, so nodes will be simulated. ${machines.reason}`];
  }
}

function describeWork(work: readonly WorkItem[], { cores, freeGigabytes, downloads }: Builder): string[] {
  if (work.length === 0) return [];
  const { minutes, gigabytes } = estimate(work, cores);
  const always = estimate(
    work.filter(({ downloadable }) => !downloadable),
    cores,
  );
  const quicker =
    downloads && always.minutes < minutes
      ? ` if all of it is built from source, ${always.minutes} min if the rest can be downloaded`
      : "";
  const free = freeGigabytes === undefined ? "" : ` (${freeGigabytes} GB free)`;
  return [
    ` • making, once for all sandboxes: ${work.map(({ title }) => title).join("; ")} (${work.length})`,
    `   about ${minutes} min on ${count(cores, "core")}${quicker}; up to ${gigabytes} GB of disk${free}`,
    ...(freeGigabytes !== undefined && freeGigabytes < gigabytes
      ? [`   warning: that may not fit into the ${freeGigabytes} GB that are free`]
      : []),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
