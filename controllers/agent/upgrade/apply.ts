// Carries out the steps of an upgrade: fetch, start, watch, stop and report.
import type { ClusterUpgrade, NodeUpgradeStatus } from "../../../api";
import type { UpgradeOrder } from "../../../api/upgrade-annotations";
import { MAX_MESSAGE } from "../../../api/upgrade-report";
import {
  ApiError,
  errorMessage,
  isNotFound,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { HostRefusal } from "../host";
import { UPGRADES, type NodeObject, type UpgradeObject } from "../kinds";
import { serviceName, type InstallerDirectory } from "./installer-directory";
import { reasonIn, type Step } from "./plan";
import { INSECURE } from "./scripts";
import type { Progress, ReportWriter } from "./status";

const POLL_MS = 1000;
const RETRY_MS = 5000;

/** One upgrade on this node: the order, what was reported, and what is on the host. */
export interface Installation {
  node: NodeObject;
  order: UpgradeOrder;
  report: Progress;
  directory: InstallerDirectory;
  exitCode: number | undefined;
  output: string;
}

/** Carries out the steps that `nextStep` (plan.ts) chooses, and reports them on the Node. */
export class UpgradeApplier {
  readonly #context: ControllerContext;
  readonly #reports: ReportWriter;

  constructor(context: ControllerContext, reports: ReportWriter) {
    this.#context = context;
    this.#reports = reports;
  }

  async apply(
    step: Step,
    installation: Installation,
    reconcile: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { units } = this.#context;
    const { node, order, report, directory, exitCode, output } = installation;
    const { signal, log } = reconcile;
    const service = serviceName(order.uid);
    const write = (progress: Progress): Promise<void> =>
      this.#reports.write(node, order.uid, progress, signal);
    switch (step) {
      case "nothing":
        return undefined;
      case "fetch":
      case "start":
        try {
          return await this.#install(step, installation, reconcile, write);
        } catch (error) {
          if (error instanceof ApiError) throw error;
          const refused = error instanceof HostRefusal;
          const installerMessage = errorMessage(error).slice(0, MAX_MESSAGE);
          log.error("The installer could not be started.", { upgrade: order.name, cause: installerMessage });
          await write({ attempt: 0, installer: refused ? "Refused" : "Fetching", installerMessage });
          return refused ? undefined : { requeueAfterMs: RETRY_MS };
        }
      case "watch":
        if (report.installer !== "Running") await write({ attempt: 1, installer: "Running" });
        return { requeueAfterMs: POLL_MS };
      case "stop":
        if (!(await this.#isGivenUp(order, signal))) {
          log.warn(
            "The Node says to stop the installer, but the ClusterUpgrade does not: leaving it alone.",
            {
              upgrade: order.name,
            },
          );
          return { requeueAfterMs: RETRY_MS };
        }
        log.warn("Stopping the installer: the coordinator has given up on this node.", { service });
        await units.stop(service);
        return { requeueAfterMs: POLL_MS };
      case "finish":
        await write({
          attempt: 1,
          installer: exitCode === 0 ? "Succeeded" : "Failed",
          ...(exitCode === undefined ? {} : { exitCode }),
          ...(exitCode === 0 ? {} : { output: reasonIn(output), installerMessage: whereOutputIs(directory) }),
        });
        return undefined;
      case "abort":
        if (!(await this.#isEnding(order, signal))) return { requeueAfterMs: RETRY_MS };
        await write({
          attempt: 0,
          installer: "Aborted",
          installerMessage: "The upgrade was ended before the installer was run.",
        });
        return undefined;
      case "lose":
        await write({
          attempt: 1,
          installer: "Lost",
          installerMessage:
            "The installer started but left no exit code: it or the machine was stopped. Check the node, then create a new ClusterUpgrade.",
          output: reasonIn(output),
        });
        return undefined;
    }
  }

  async #install(
    step: "fetch" | "start",
    { order, report, directory }: Installation,
    { signal, log }: ReconcileContext,
    write: (progress: Progress) => Promise<void>,
  ): Promise<ReconcileResult | undefined> {
    const { units, settings, installerCa } = this.#context;
    const spec = await this.#specFor(order, signal);
    if (spec === undefined) return undefined;
    if (step === "fetch") {
      if (report.installer !== "Fetching") await write({ attempt: 0, installer: "Fetching" });
      await directory.fetch(spec.installer, { signal, ca: installerCa });
      return { requeueAfterMs: 0 };
    }
    const service = serviceName(order.uid);
    log.info("Starting the installer on the host.", { upgrade: order.name, service });
    const args = spec.installer?.args ?? [
      spec.version,
      settings.rke2Releases,
      spec.digest ?? "",
      ...(settings.insecureRke2Releases ? [INSECURE] : []),
    ];
    await units.start(service, directory.command(args), `Upgrade ${order.name} to ${spec.version}`);
    await write({ attempt: 1, installer: "Running" });
    return { requeueAfterMs: POLL_MS };
  }

  /**
   * What to run, if the ClusterUpgrade itself says that this node is to run it, and for the first time. The order on the
   * Node is only a signal: many may write to Nodes, few may create a ClusterUpgrade.
   */
  async #specFor(order: UpgradeOrder, signal: AbortSignal): Promise<ClusterUpgrade["spec"] | undefined> {
    const upgrade = await this.#upgradeOf(order, signal);
    const entry = this.#entryIn(upgrade);
    return entry?.phase === "Upgrading" && (entry.attempt ?? 0) === 0 ? upgrade?.spec : undefined;
  }

  /** Whether the ClusterUpgrade itself says that this node was given up, though its installer may still run. */
  async #isGivenUp(order: UpgradeOrder, signal: AbortSignal): Promise<boolean> {
    const { phase, reason } = this.#entryIn(await this.#upgradeOf(order, signal)) ?? {};
    return phase === "Failed" || (phase === "Uncordoning" && reason !== "Upgraded");
  }

  /** Whether the ClusterUpgrade itself is to begin nothing more. */
  async #isEnding(order: UpgradeOrder, signal: AbortSignal): Promise<boolean> {
    const upgrade = await this.#upgradeOf(order, signal);
    return upgrade?.spec.aborted === true || upgrade?.metadata.deletionTimestamp !== undefined;
  }

  #entryIn(upgrade: UpgradeObject | undefined): NodeUpgradeStatus | undefined {
    return upgrade?.status?.nodes?.find(({ name }) => name === this.#context.settings.nodeName);
  }

  /** The ClusterUpgrade that an order names, as the server has it now; undefined if there is none, or another. */
  async #upgradeOf({ name, uid }: UpgradeOrder, signal: AbortSignal): Promise<UpgradeObject | undefined> {
    try {
      const found = await this.#context.client.get(UPGRADES, { name }, signal);
      return found.metadata.uid === uid ? found : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function whereOutputIs(directory: InstallerDirectory): string {
  return `What the installer wrote is on the node, for root alone: ${directory.path}/output.`;
}
