import type { ClusterUpgrade } from "../../../api";
import { GROUP } from "../../../api/names";
import { MOST_MESSAGE } from "../../../api/upgrade-report";
import { orderOn, REPORT, reportOn, type Order, type Report } from "../../handover";
import {
  ApiError,
  compareVersions,
  errorMessage,
  isNotFound,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { HostRefusal } from "../host";
import { NODES, UPGRADES, type NodeObject } from "../kinds";
import { followNode, ownNode } from "../own-node";
import type { Part, Workplace } from "../part";
import { lastLines, nextStep, type Step } from "./step";
import { serviceName, Workshop } from "./workshop";

type Telling = Omit<Report, "uid">;

const LOOK_MS = 1000;
const RETRY_MS = 5000;
/** What the installer writes is told this often while it runs: every change of a Node goes to all who watch Nodes. */
const TELL_MS = 30_000;
const DEADLINE_MS = 3_600_000;

/** Carries out upgrades on this node when the coordinator hands it over. */
export const upgrade: Part = {
  name: "upgrade",
  describes: "carries out upgrades on the node when the coordinator hands it over",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades"], verbs: ["get"] },
  ],
  setUp(workplace) {
    const { manager, settings } = workplace;
    const node = ownNode(manager.cache, settings.nodeName);
    const craftsman = new Craftsman(workplace, node);
    const controller = manager.controller({
      name: "upgrade",
      concurrency: 1,
      // A download may take long; its own timeouts end it.
      deadlineMs: DEADLINE_MS,
      reconcile: (_name, context) => craftsman.reconcile(context),
    });
    followNode(controller, node, ({ metadata: { uid, annotations } }) => [uid, annotations]);
    return undefined;
  },
};

class Craftsman {
  readonly #workplace: Workplace;
  readonly #nodes: Informer<NodeObject>;
  /** What was told last, until the cache has it. */
  #told: { report: Report; version: string } | undefined;
  #toldAt = -Infinity;

  constructor(workplace: Workplace, nodes: Informer<NodeObject>) {
    this.#workplace = workplace;
    this.#nodes = nodes;
  }

  async reconcile(context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { root, units, settings } = this.#workplace;
    const node = this.#nodes.get(settings.nodeName);
    if (node === undefined) return undefined;
    const order = orderOn(node);
    await this.#forgetOthers(order?.uid);
    if (order === undefined) return undefined;
    const workshop = new Workshop(root, order.uid);
    const first = await workshop.look();
    // The host's services are asked only about what may run.
    const open = first.fetched && first.exitCode === undefined;
    const runs = open && (await units.runs(serviceName(order.uid)));
    const facts = open ? await workshop.look() : first;
    const report = this.#reportOf(node, order.uid);
    const step = nextStep(order.what, report, { ...facts, runs });
    const tell = (telling: Telling): Promise<void> => this.#tell(node, order.uid, telling, context.signal);
    return this.#take(step, { order, report, workshop, tell, ...facts }, context);
  }

  async #take(
    step: Step,
    { order, report, workshop, tell, exitCode, output }: Job,
    { signal, log, clock }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { units, settings, installerCa } = this.#workplace;
    const service = serviceName(order.uid);
    switch (step) {
      case "nothing":
        return undefined;
      case "fetch":
      case "start":
        try {
          const spec = await this.#specFor(order, signal);
          if (spec === undefined) return undefined;
          if (step === "fetch") {
            if (report.installer !== "Fetching") await tell({ attempt: 0, installer: "Fetching" });
            await workshop.fetch(spec.installer, { signal, ca: installerCa });
            return { requeueAfterMs: 0 };
          }
          log.info("The installer is started on the host.", { upgrade: order.name, service });
          const args = spec.installer?.args ?? [spec.version, settings.rke2Releases];
          await units.start(service, workshop.command(args), `Upgrade ${order.name} to ${spec.version}`);
          await tell({ attempt: 1, installer: "Running" });
          return { requeueAfterMs: LOOK_MS };
        } catch (error) {
          if (error instanceof ApiError) throw error;
          const refused = error instanceof HostRefusal;
          const installerMessage = errorMessage(error).slice(0, MOST_MESSAGE);
          log.error("The installer could not be run.", { upgrade: order.name, cause: installerMessage });
          await tell({ attempt: 0, installer: refused ? "Refused" : "Fetching", installerMessage });
          return refused ? undefined : { requeueAfterMs: RETRY_MS };
        }
      case "watch":
        if (report.installer !== "Running" || clock.monotonic() - this.#toldAt > TELL_MS) {
          this.#toldAt = clock.monotonic();
          await tell({ attempt: 1, installer: "Running", output: lastLines(output, undefined) });
        }
        return { requeueAfterMs: LOOK_MS };
      case "stop":
        log.warn("The installer is stopped: the coordinator has given the node up.", { service });
        await units.stop(service);
        return { requeueAfterMs: LOOK_MS };
      case "finish":
        await tell({
          attempt: 1,
          installer: exitCode === 0 ? "Succeeded" : "Failed",
          ...(exitCode === undefined ? {} : { exitCode }),
          output: lastLines(output, exitCode),
        });
        return undefined;
      case "abort":
        await tell({
          attempt: 0,
          installer: "Aborted",
          installerMessage: "The upgrade was ended before the installer was run.",
        });
        return undefined;
      case "lose":
        await tell({
          attempt: 1,
          installer: "Lost",
          installerMessage:
            "The installer began and ended without a word: it was stopped, or the machine was. Look at the node, then make a new ClusterUpgrade.",
          output: lastLines(output, undefined),
        });
        return undefined;
    }
  }

  /**
   * What is to be run, if the upgrade itself says that this node is to run it, and for the first time: the order on the
   * Node only rings the bell, since many may write to Nodes, and few may declare an upgrade.
   */
  async #specFor({ name, uid }: Order, signal: AbortSignal): Promise<ClusterUpgrade["spec"] | undefined> {
    const { client, settings } = this.#workplace;
    try {
      const { metadata, spec, status } = await client.get(UPGRADES, { name }, signal);
      const entry = status?.nodes?.find((one) => one.name === settings.nodeName);
      const isOurs = metadata.uid === uid && entry?.phase === "Upgrading" && (entry.attempt ?? 0) === 0;
      return isOurs ? spec : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #reportOf(node: NodeObject, uid: string): Telling {
    const { resourceVersion = "0" } = node.metadata;
    const isBehind = this.#told !== undefined && compareVersions(resourceVersion, this.#told.version) < 0;
    const report = isBehind ? this.#told?.report : reportOn(node);
    return report?.uid === uid ? report : {};
  }

  /** Writes a report on the Node, unless it is there already. */
  async #tell({ metadata }: NodeObject, uid: string, telling: Telling, signal: AbortSignal): Promise<void> {
    const report: Report = { uid, ...telling };
    const text = JSON.stringify(report);
    if (metadata.annotations?.[REPORT] === text) return;
    const body = { metadata: { uid: metadata.uid, annotations: { [REPORT]: text } } };
    try {
      const written = await this.#workplace.client.patch(NODES, metadata, body, {
        query: { fieldManager: "fleetwright-agent-upgrade" },
        signal,
      });
      this.#told = { report, version: written.metadata.resourceVersion ?? "0" };
    } catch (error) {
      // Nobody waits for the report any more.
      if (!isNotFound(error)) throw error;
    }
  }

  /** Removes what is left of other upgrades, unless something still runs there. */
  async #forgetOthers(current: string | undefined): Promise<void> {
    const { root, units } = this.#workplace;
    for (const uid of await Workshop.all(root))
      if (uid !== current && !(await units.runs(serviceName(uid)))) await Workshop.forget(root, uid);
  }
}

interface Job {
  order: Order;
  /** What was told. */
  report: Telling;
  workshop: Workshop;
  tell: (telling: Telling) => Promise<void>;
  exitCode: number | undefined;
  output: string;
}
