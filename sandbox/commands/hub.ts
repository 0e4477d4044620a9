import path from "node:path";
import { ExitCode, Failure } from "../../lib/failure";
import type { ControlPlaneStatus } from "../controlplane";
import { hasHubControllers } from "../hub";
import { restoreHub, snapshotHub } from "../hub-backup";
import type { SandboxLayout } from "../layout";
import { type CommandContext, requireLinux } from "./context";
import { describePlane } from "./status";

/** What to do with the hub. */
export interface HubCommand {
  action: string;
  /** What stands behind the action: the file of a snapshot. */
  file: string | undefined;
  /** Whether the API server is to run without our controllers. */
  bare: boolean;
  json: boolean;
}

/** Starts, shows or stops the hub of a sandbox. */
export async function hub({ action, file, bare, json }: HubCommand, context: CommandContext): Promise<void> {
  const { sandbox, progress, signal } = context;
  switch (action) {
    case "up": {
      requireLinux();
      const status = await sandbox.exclusively(progress, () => sandbox.upHub({ bare, progress, signal }));
      process.stdout.write(json ? asJson(status) : hubScreen(status, sandbox.layout, context.nameFlag));
      return;
    }
    case "status": {
      const status = await sandbox.hub();
      process.stdout.write(json ? asJson(status ?? null) : describeHub(status, context.nameFlag));
      if (status?.ready !== true) process.exitCode = ExitCode.failed;
      return;
    }
    case "down":
      await sandbox.exclusively(progress, () =>
        progress.step(`hub of sandbox ${sandbox.layout.name} stopped`, () => sandbox.downHub()),
      );
      if (json) process.stdout.write(asJson((await sandbox.hub()) ?? null));
      return;
    case "snapshot": {
      const target = requireFile(action, file);
      await sandbox.exclusively(progress, () =>
        progress.step(`snapshot ${target} written`, () => snapshotHub(sandbox.layout.hub, target)),
      );
      return;
    }
    case "restore": {
      const source = requireFile(action, file);
      const { before } = await sandbox.exclusively(progress, () =>
        progress.step(`snapshot ${source} restored`, () => restoreHub(sandbox.layout.hub, source)),
      );
      if (before !== undefined) process.stderr.write(`What was there before is in ${before}.\n`);
      return;
    }
    default:
      throw new Failure(
        `Unknown command "hub ${action}". There are \`hub\`, \`hub --bare\`, \`hub status\`, \`hub down\`, \`hub snapshot FILE\` and \`hub restore FILE\`.`,
        ExitCode.usage,
      );
  }
}

function requireFile(action: string, file: string | undefined): string {
  if (file !== undefined) return path.resolve(file);
  throw new Failure(
    `\`hub ${action}\` needs the file of a snapshot: npm run sandbox -- hub ${action} hub.db`,
    ExitCode.usage,
  );
}

function asJson(status: ControlPlaneStatus | null): string {
  return `${JSON.stringify(status, undefined, 2)}\n`;
}

/** The last lines of a start: what there is, and what to type next. */
export function hubScreen(status: ControlPlaneStatus, layout: SandboxLayout, nameFlag: string): string {
  const next = hasHubControllers(status)
    ? [
        `  export HUB=${status.kubeconfig} PATH="${layout.bin}:$PATH"`,
        "  npm run -s hub -- register east --member <kubeconfig of a cluster> --accept --kubeconfig $HUB",
        "  kubectl --kubeconfig $HUB get clusters.fleetwright.dev",
      ]
    : [
        `  export KUBECONFIG=${status.kubeconfig} PATH="${layout.bin}:$PATH"`,
        "  kubectl create deployment web --image=nginx    # stored; no controller runs it",
      ];
  return [
    ...describePlane("hub", status),
    "",
    ...next,
    "",
    `Stop it: npm run sandbox -- hub down${nameFlag}`,
    "",
  ].join("\n");
}

function describeHub(status: ControlPlaneStatus | undefined, nameFlag: string): string {
  const start = `npm run sandbox -- hub${nameFlag}`;
  if (status === undefined) return `hub: does not exist (${start} starts it)\n`;
  if (status.components.length === 0) return `hub: stopped, its data is kept (${start} starts it)\n`;
  return `${describePlane("hub", status).join("\n")}\n`;
}
