import { parseArgs } from "node:util";
import { askCloud, orderMachine, type CloudStatus, type RunningCloud } from "./cloud";
import { runCommand } from "./command";
import type { ControlPlaneStatus } from "./controlplane";
import { shellExports } from "./environment";
import { ExitCode, Failure } from "./failure";
import { printLogs } from "./logs";
import { machineIn, openShell } from "./machine-login";
import { MachineHall } from "./machines";
import { elapsed, streamProgress } from "./progress";
import { KUBE_CONTEXT, PROJECT, Sandbox, sandboxNames } from "./sandbox";
import { keepSshKey, sshCommand } from "./ssh-access";
import { Stack } from "./stack";
import { clusterObjects, summaryRows, type SummaryRow } from "./summary";
import { requirePrerequisites } from "./toolchain";

const HELP = `A whole cloud and control plane on this machine, and the stack of the project in it.

Usage: npm start [-- options]              = sandbox up, then pulumi up of the dev stack
       npm run sandbox -- <command> [options]

  up                  starts what does not run: the AWS API with machines behind it, etcd, API server, controller
                      manager, scheduler, simulated nodes
  start               up, and then \`pulumi up\` of the stack, with every policy pack
  status [--json]     what runs, with process ids, memory and addresses; of every sandbox with --all
  env                 prints exports, so that after eval "$(npm run -s sandbox -- env)" plain pulumi and kubectl work,
                      and in-sandbox COMMAND runs anything (ssh, curl) where machines are reached
  shell MACHINE       a root shell in a machine, by instance id, name or address; with -- COMMAND runs that instead
  crash MACHINE       cuts a machine's power; reboot MACHINE boots it (again)
  logs [COMPONENT]    the end of the logs; --lines N (20), --follow
  down                stops everything and keeps the data
  reset               stops everything and forgets it: cluster, keys and Pulumi state

  --name NAME         which sandbox (default); several can run at the same time
  --nodes N           up, start: how many simulated nodes at least (3)
  --stack STACK       start: which stack (dev, a whole cluster on machines; where none can run: existing)`;

const OPTIONS = {
  name: { type: "string", default: "default" },
  nodes: { type: "string", default: "3" },
  stack: { type: "string" },
  lines: { type: "string", default: "20" },
  follow: { type: "boolean", short: "f", default: false },
  all: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const progress = streamProgress(process.stderr);
  const sandbox = new Sandbox(values.name);
  const suffix = values.name === OPTIONS.name.default ? "" : ` --name ${values.name}`;
  switch (command) {
    case "up":
    case "start": {
      await requirePrerequisites({ python: true });
      requireLinux();
      const stackName = values.stack ?? (MachineHall.available().ok ? "dev" : "existing");
      const stack =
        command === "start"
          ? new Stack(sandbox.layout, PROJECT, stackName, () => sandbox.place())
          : undefined;
      const start = Date.now();
      const outputs = await sandbox.exclusively(progress, async () => {
        await sandbox.up({ nodes: wholeNumber("--nodes", values.nodes), progress, signal });
        if (stack === undefined) return undefined;
        await progress.step(`stack ${stack.name} selected`, () => stack.select());
        await stack.up();
        const given = await stack.outputs();
        await sandbox.keepKubeconfig(given.kubeconfig);
        if (given.sshPrivateKey !== undefined) await keepSshKey(sandbox.layout, given.sshPrivateKey);
        return given;
      });
      const took = Date.now() - start;
      const login = outputs?.sshPrivateKey === undefined ? undefined : await loginCommand(sandbox);
      const summary = outputs === undefined ? [] : await summaryOf(sandbox, outputs.endpoint);
      process.stdout.write(
        nextSteps({ name: values.name, stack: stack?.name, suffix, took, login, summary }),
      );
      return;
    }
    case "status": {
      const names = values.all ? await sandboxNames() : [values.name];
      const states = await Promise.all(names.map(stateOf));
      process.stdout.write(
        values.json ? `${JSON.stringify(states, undefined, 2)}\n` : states.map(describe).join("\n"),
      );
      if (!states.every(({ controlPlane, cloud }) => controlPlane?.ready === true && cloud !== null))
        process.exitCode = ExitCode.failed;
      return;
    }
    case "env":
      if (!(await sandbox.exists())) {
        throw new Failure(
          `There is no sandbox ${values.name}. Bring it up first: npm run sandbox -- up${suffix}`,
        );
      }
      process.stdout.write(`${shellExports(sandbox.layout, await sandbox.place())}\n`);
      if ((await sandbox.controlPlane())?.ready !== true) {
        process.stderr.write(
          `note: sandbox ${values.name} does not run; start it: npm run sandbox -- up${suffix}\n`,
        );
      }
      return;
    case "shell":
      process.exitCode = await openShell(await runningCloud(sandbox, suffix), rest);
      return;
    case "crash":
    case "reboot": {
      const cloud = await runningCloud(sandbox, suffix);
      const { id } = machineIn(await askCloud(cloud), rest[0]);
      await progress.step(`${command} of ${id}`, () => orderMachine(cloud, id, command));
      return;
    }
    case "logs":
      return printLogs(sandbox, {
        component: rest[0],
        lines: wholeNumber("--lines", values.lines),
        follow: values.follow,
        signal,
      });
    case "down":
      await sandbox.exclusively(progress, () =>
        progress.step(`sandbox ${values.name} stopped`, () => sandbox.down()),
      );
      return;
    case "reset":
      await sandbox.exclusively(progress, () =>
        progress.step(`sandbox ${values.name} forgotten`, () => sandbox.reset()),
      );
      return;
    default:
      throw new Failure(
        `There is no command "${command}". The commands are up, start, status, env, shell, crash, reboot, logs, down and reset; --help describes them.`,
        ExitCode.usage,
      );
  }
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) {
    throw new Failure(`${flag} wants a whole number, found "${text}".`, ExitCode.usage);
  }
  return Number(text);
}

function requireLinux(): void {
  if (process.platform === "linux") return;
  throw new Failure(
    `The sandbox runs on Linux, and this is ${process.platform}. Left out here: the control plane. What works: the program itself against a cluster you have, \`npm run lint\`, \`npm run typecheck\`. Use a Linux machine or a virtual one for the rest.`,
    ExitCode.prerequisite,
  );
}

/** What there is after a start. */
async function summaryOf(sandbox: Sandbox, endpoint: string | undefined): Promise<SummaryRow[]> {
  const context = endpoint === undefined ? KUBE_CONTEXT : undefined;
  const place = await sandbox.place();
  return [
    ["cluster", endpoint ?? (await sandbox.controlPlane())?.endpoint ?? "none"],
    ...summaryRows(await clusterObjects(sandbox.layout, place, context)),
    // The update would have been stopped otherwise.
    ["policies", "passed (npm run policy -- report tells which)"],
  ];
}

/** How one logs in to the first of the machines; undefined where there is none. */
async function loginCommand(sandbox: Sandbox): Promise<string | undefined> {
  const cloud = await sandbox.cloud();
  if (cloud === undefined) return undefined;
  const { machines } = await askCloud(cloud);
  const [first] = machines
    .filter(({ state }) => state === "running")
    .sort((a, b) => (a.name ?? "~").localeCompare(b.name ?? "~"));
  return first === undefined ? undefined : sshCommand(sandbox.layout, PROJECT, first.privateIp);
}

function nextSteps({
  name,
  stack,
  suffix,
  took,
  login,
  summary,
}: {
  name: string;
  stack: string | undefined;
  suffix: string;
  took: number;
  login: string | undefined;
  summary: readonly SummaryRow[];
}): string {
  const lines = [
    [
      `eval "$(npm run -s sandbox -- env${suffix})"`,
      "plain pulumi and kubectl use this sandbox from here on",
    ],
    ["kubectl get nodes", ""],
    ...(login === undefined ? [] : [[login, "logs in to a machine; fleetwright:users adds people"] as const]),
    ["pulumi preview", stack === undefined ? "after npm start" : `shows what would change in ${stack}`],
    [`npm run sandbox -- status${suffix}`, ""],
    [`npm run sandbox -- down${suffix}`, "stops it and keeps its data; reset forgets it"],
  ] as const;
  const width = Math.max(...lines.map(([what]) => what.length)) + 3;
  return [
    "",
    `Sandbox ${name} is up${stack === undefined ? "" : ` and the stack ${stack} is in the declared shape`} (${elapsed(took)}).`,
    "",
    ...summary.map(([what, how]) => `  ${what.padEnd(12)} ${how}`),
    ...(summary.length === 0 ? [] : [""]),
    "Next:",
    "",
    ...lines.map(([what, why]) => `  ${why === "" ? what : what.padEnd(width) + why}`),
    "",
  ].join("\n");
}

interface SandboxState {
  name: string;
  controlPlane: ControlPlaneStatus | null;
  cloud: (RunningCloud & CloudStatus) | null;
}

async function stateOf(name: string): Promise<SandboxState> {
  const sandbox = new Sandbox(name);
  const [controlPlane, cloud] = await Promise.all([sandbox.controlPlane(), sandbox.cloud()]);
  return {
    name,
    controlPlane: controlPlane ?? null,
    cloud: cloud === undefined ? null : { ...cloud, ...(await askCloud(cloud)) },
  };
}

async function runningCloud(sandbox: Sandbox, suffix: string): Promise<RunningCloud> {
  const cloud = await sandbox.cloud();
  if (cloud !== undefined) return cloud;
  throw new Failure(
    `The cloud of sandbox ${sandbox.layout.name} does not run. Start it: npm run sandbox -- up${suffix}`,
  );
}

function describe({ name, controlPlane, cloud }: SandboxState): string {
  if (controlPlane === null) return `sandbox ${name}: not there (npm run sandbox -- up brings it up)\n`;
  if (controlPlane.components.length === 0 && cloud === null)
    return `sandbox ${name}: stopped, its data is kept\n`;
  return [
    `sandbox ${name}: ${controlPlane.ready && cloud !== null ? "ready" : "NOT READY"}   ${controlPlane.endpoint}`,
    `  kubeconfig ${controlPlane.kubeconfig}`,
    ...controlPlane.components.map(({ name, pid, port, ready, problem, residentBytes }) =>
      [
        `  ${ready ? "✓" : "✗"} ${name.padEnd(25)}`,
        `process ${String(pid).padEnd(8)}`,
        `port ${String(port).padEnd(7)}`,
        residentBytes === undefined ? "" : `${Math.round(residentBytes / 1e6)} MB`,
        problem === undefined ? "" : `  ${problem}`,
      ].join(""),
    ),
    ...(cloud === null ? ["  ✗ cloud: does not run"] : describeCloud(cloud)),
    "",
  ].join("\n");
}

function describeCloud(cloud: RunningCloud & CloudStatus): string[] {
  const size = cloud.residentBytes === undefined ? "" : `${Math.round(cloud.residentBytes / 1e6)} MB`;
  return [
    `  ✓ ${"cloud".padEnd(25)}process ${String(cloud.process.pid).padEnd(8)}${cloud.endpoint}   ${size}`,
    ...(cloud.reason === undefined ? [] : [`    no machines: ${cloud.reason}`]),
    ...cloud.machines.map(({ id, name, state, privateIp, zone }) => {
      const words = [(name ?? "").padEnd(24), privateIp.padEnd(16), zone.padEnd(16), state];
      return `    ${state === "running" ? "✓" : "✗"} ${id.padEnd(21)} ${words.join("")}`;
    }),
    ...cloud.balancers.map(({ name, ports }) => `    ✓ ${name} (ports ${ports.join(", ")})`),
    ...cloud.troubles.map(({ key, step, message }) => `    ✗ ${step} ${key}: ${message}`),
  ];
}

if (require.main === module) runCommand(main);
