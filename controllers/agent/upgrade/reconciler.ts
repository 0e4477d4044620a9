// Reconciles the upgrade order of this node.
import { orderOn } from "../../../api/upgrade-annotations";
import type { Informer, ReconcileContext, ReconcileResult } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import type { NodeObject } from "../kinds";
import { UpgradeApplier } from "./apply";
import { InstallerDirectory, serviceName } from "./installer-directory";
import { nextStep } from "./plan";
import { ReportWriter } from "./status";

/** Carries out the upgrade order on this node, one step per reconcile. All state is on the host and on the Node. */
export class NodeUpgradeReconciler {
  readonly #context: ControllerContext;
  readonly #nodes: Informer<NodeObject>;
  readonly #reports: ReportWriter;
  readonly #applier: UpgradeApplier;

  constructor(context: ControllerContext, nodes: Informer<NodeObject>) {
    this.#context = context;
    this.#nodes = nodes;
    this.#reports = new ReportWriter(context.client);
    this.#applier = new UpgradeApplier(context, this.#reports);
  }

  async reconcile(reconcile: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { root, units, settings } = this.#context;
    const node = this.#nodes.get(settings.nodeName);
    if (node === undefined) return undefined;
    const order = orderOn(node);
    await this.#removeOtherUpgrades(order?.uid);
    if (order === undefined) return undefined;
    const directory = new InstallerDirectory(root, order.uid);
    const first = await directory.inspect();
    // The host's services are queried only if the installer may be running.
    const open = first.fetched && first.exitCode === undefined;
    const running = open && (await units.isRunning(serviceName(order.uid)));
    const { output, ...facts } = open ? await directory.inspect() : first;
    const report = this.#reports.current(node, order.uid);
    const step = nextStep(order.what, report, { ...facts, running });
    return this.#applier.apply(
      step,
      { node, order, report, directory, exitCode: facts.exitCode, output },
      reconcile,
    );
  }

  /** Removes the directories of other upgrades, unless their installer is still running. */
  async #removeOtherUpgrades(current: string | undefined): Promise<void> {
    const { root, units } = this.#context;
    for (const uid of await InstallerDirectory.all(root))
      if (uid !== current && !(await units.isRunning(serviceName(uid))))
        await InstallerDirectory.remove(root, uid);
  }
}
