import { readFile } from "node:fs/promises";
import path from "node:path";
import { cloudStatusOf } from "../cloud";
import { type ClosingScreen, closingScreen } from "../closing-screen";
import { ExitCode, Failure } from "../../lib/failure";
import { type Machines, prepareHost } from "../preparation";
import { PROJECT, type Sandbox } from "../sandbox";
import { keepSshKey, sshCommand } from "../ssh-access";
import { Stack } from "../stack";
import { DEFAULT_STACK, KUBE_CONTEXT, stackNeeds, type StackNeeds } from "../start-plan";
import { clusterObjects, summaryRows, type SummaryRow } from "../summary";
import { type CommandContext, requireLinux } from "./context";

/** The flags of `start` and `up`. */
export interface StartFlags {
  /** The stack to deploy. @default a whole cluster on machines or, where none can run, one on simulated nodes */
  stack?: string;
  /** Simulated nodes at least. @default 3 */
  nodes?: number;
  /** Whether system packages that machines need may be installed. */
  mayInstall: boolean;
}

const DEFAULT_NODES = 3;

/** Brings up the sandbox and deploys a stack in it, line by line as the screen shows it. */
export async function start(flags: StartFlags, context: CommandContext): Promise<void> {
  const { sandbox, progress, signal } = context;
  const began = Date.now();
  requireLinux();
  if (flags.stack !== undefined) Stack.require(PROJECT, flags.stack);
  const deployed = await sandbox.exclusively(progress, async () => {
    const needs = await needsByStack(flags.stack);
    const machines = await prepareHost({
      ...flags,
      ...context,
      controlPlane: (available) => needsControlPlane(needs(available)),
    });
    const { name, ...wanted } = needs(machines.kind === "ready");
    if (wanted.machines) requireMachines(name, machines);
    const { nodes = DEFAULT_NODES } = flags;
    const { members } = wanted;
    await sandbox.up({
      ...(wanted.controlPlane ? { controlPlane: { nodes } } : {}),
      ...(members.length > 0 ? { members } : {}),
      progress,
      signal,
    });
    const stack = new Stack(sandbox.layout, PROJECT, name, () => sandbox.cloudAccess());
    await progress.step(`stack ${name} selected`, () => stack.select());
    await stack.up();
    const outputs = await stack.outputs();
    await sandbox.keepKubeconfig(outputs.kubeconfig);
    if (outputs.sshPrivateKey !== undefined) await keepSshKey(sandbox.layout, outputs.sshPrivateKey);
    return { name, machines, outputs, members };
  });
  const { name, machines, outputs, members } = deployed;
  const screen: ClosingScreen = {
    sandbox: sandbox.layout.name,
    stack: name,
    nameFlag: context.nameFlag,
    tookMs: Date.now() - began,
    summary: members.length > 0 ? await fleetSummary(sandbox) : await summaryOf(sandbox, outputs.endpoint),
    login: outputs.sshPrivateKey === undefined ? undefined : await loginCommand(sandbox),
    leftOut: flags.stack === undefined && machines.kind === "unavailable" ? machines : undefined,
  };
  process.stdout.write(closingScreen(screen));
}

/** Brings up the sandbox alone. Its own control plane is started if it had one before, or `--nodes` asks for one. */
export async function up(flags: Omit<StartFlags, "stack">, context: CommandContext): Promise<void> {
  const { sandbox, progress, signal } = context;
  const began = Date.now();
  requireLinux();
  const machines = await sandbox.exclusively(progress, async () => {
    const wanted = flags.nodes !== undefined || (await sandbox.controlPlane()) !== undefined;
    const controlPlane = (available: boolean): boolean => wanted || !available;
    const found = await prepareHost({ ...flags, ...context, controlPlane });
    const { nodes = DEFAULT_NODES } = flags;
    await sandbox.up({
      ...(controlPlane(found.kind === "ready") ? { controlPlane: { nodes } } : {}),
      progress,
      signal,
    });
    return found;
  });
  process.stdout.write(
    closingScreen({
      sandbox: sandbox.layout.name,
      stack: undefined,
      nameFlag: context.nameFlag,
      tookMs: Date.now() - began,
      summary: [],
      login: undefined,
      leftOut: machines.kind === "unavailable" ? machines : undefined,
    }),
  );
}

interface NamedNeeds extends StackNeeds {
  name: string;
}

/** The stack that was asked for or, else, the default one with and without machines; with what it needs. */
async function needsByStack(asked: string | undefined): Promise<(machines: boolean) => NamedNeeds> {
  const read = async (name: string): Promise<NamedNeeds> => ({
    name,
    ...stackNeeds(await readFile(path.join(PROJECT, `Pulumi.${name}.yaml`), "utf8")),
  });
  const [withMachines, without] = await Promise.all([
    read(asked ?? DEFAULT_STACK.withMachines),
    read(asked ?? DEFAULT_STACK.withoutMachines),
  ]);
  return (machines) => (machines ? withMachines : without);
}

function requireMachines(stack: string, machines: Machines): void {
  if (machines.kind === "ready") return;
  throw new Failure(
    `The stack ${stack} needs machines. ${machines.reason}\nTo get them: ${machines.remedy}`,
    ExitCode.prerequisite,
  );
}

/** What there is after a start. */
async function summaryOf(sandbox: Sandbox, endpoint: string | undefined): Promise<SummaryRow[]> {
  const context = endpoint === undefined ? KUBE_CONTEXT : undefined;
  const access = await sandbox.cloudAccess();
  return [
    ["cluster", endpoint ?? (await sandbox.controlPlane())?.endpoint ?? "none"],
    ...summaryRows(await clusterObjects(sandbox.layout, access, context)),
    // The update would have been stopped otherwise.
    ["policies", "passed (npm run policy -- report lists them)"],
  ];
}

/** What there is after a start of a stack of members. */
async function fleetSummary(sandbox: Sandbox): Promise<SummaryRow[]> {
  const [hub, members] = await Promise.all([sandbox.hub(), sandbox.members()]);
  return [
    ["hub", hub?.endpoint ?? "none"],
    ...Object.entries(members).map(([name, { endpoint }]): SummaryRow => [`member ${name}`, endpoint]),
    ["next", `kubectl --context ${KUBE_CONTEXT}-hub get clusters.fleetwright.dev`],
  ];
}

/** Whether control planes with simulated nodes are started: the sandbox's own, or members of its hub. */
function needsControlPlane({ controlPlane, members }: StackNeeds): boolean {
  return controlPlane || members.length > 0;
}

/** How to log in to the first of the machines; undefined where there is none. */
async function loginCommand(sandbox: Sandbox): Promise<string | undefined> {
  const cloud = await sandbox.cloud();
  if (cloud === undefined) return undefined;
  const { machines } = await cloudStatusOf(cloud);
  const [first] = machines
    .filter(({ state }) => state === "running")
    .sort((a, b) => (a.name ?? "~").localeCompare(b.name ?? "~"));
  return first === undefined ? undefined : sshCommand(sandbox.layout, PROJECT, first.privateIp);
}
