import type { NodeUpgradeStatus } from "../../../api";
import { GROUP } from "../../../api/names";
import {
  ApiError,
  errorMessage,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { HostRefusal } from "../host";
import { UPGRADES, type UpgradeObject } from "../kinds";
import type { Part, Workplace } from "../part";
import { type Report, tell as tellOf } from "./report";
import { lastLines, nextStep, type Step } from "./step";
import { serviceName, Workshop } from "./workshop";

const LOOK_MS = 1000;
const RETRY_MS = 5000;
/** What the installer writes is told this often while it runs. */
const TELL_MS = 10_000;
const DEADLINE_MS = 3_600_000;

/** Carries out upgrades on this node when the coordinator hands it over. */
export const upgrade: Part = {
  name: "upgrade",
  describes: "carries out upgrades on the node when the coordinator hands it over",
  rules: [
    { apiGroups: [GROUP], resources: ["clusterupgrades"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades/status"], verbs: ["patch"] },
  ],
  setUp(workplace) {
    const { manager } = workplace;
    const all = manager.cache.informer(UPGRADES);
    const craftsman = new Craftsman(workplace, all);
    const controller = manager
      .controller({
        name: "upgrade",
        concurrency: 1,
        // A download may take long; its own timeouts end it.
        deadlineMs: DEADLINE_MS,
        reconcile: (name, context) => craftsman.reconcile(name, context),
      })
      .watches(all);
    // No upgrade has an empty name: at the start, what is left of those that went meanwhile is tidied up.
    controller.queue.add("");
    return undefined;
  },
};

class Craftsman {
  readonly #workplace: Workplace;
  readonly #upgrades: Informer<UpgradeObject>;
  readonly #toldAt = new Map<string, number>();

  constructor(workplace: Workplace, all: Informer<UpgradeObject>) {
    this.#workplace = workplace;
    this.#upgrades = all;
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { root, units, settings } = this.#workplace;
    const object = this.#upgrades.get(name);
    if (object?.metadata.uid === undefined) return this.#forgetOthers();
    const { uid, deletionTimestamp } = object.metadata;
    const entry = object.status?.nodes?.find((one) => one.name === settings.nodeName);
    if (entry === undefined) return undefined;
    const workshop = new Workshop(root, uid);
    const first = await workshop.look();
    // The host's services are asked only about what may run.
    const open = first.fetched && first.exitCode === undefined;
    const runs = open && (await units.runs(serviceName(uid)));
    const facts = open ? await workshop.look() : first;
    const ending = object.spec.aborted || deletionTimestamp !== undefined;
    const step = nextStep(entry, ending, { ...facts, runs });
    return this.#take(step, object, entry, workshop, facts, context);
  }

  async #take(
    step: Step,
    object: UpgradeObject,
    entry: NodeUpgradeStatus,
    workshop: Workshop,
    { exitCode, output }: { exitCode: number | undefined; output: string },
    { signal, log, clock }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { units, client, settings } = this.#workplace;
    const { spec, metadata } = object;
    const service = serviceName(metadata.uid ?? "");
    const tell = (report: Report): Promise<void> => tellOf(client, object, settings.nodeName, report, signal);
    switch (step) {
      case "nothing":
        return undefined;
      case "fetch":
      case "start":
        try {
          if (step === "fetch") {
            if (entry.installer !== "Fetching") await tell({ attempt: 0, installer: "Fetching" });
            await workshop.fetch(spec.installer, { signal, ca: this.#workplace.installerCa });
            return { requeueAfterMs: 0 };
          }
          log.info("The installer is started on the host.", { upgrade: metadata.name, service });
          const args = spec.installer?.args ?? [spec.version, settings.rke2Releases];
          await units.start(service, workshop.command(args), `Upgrade ${metadata.name} to ${spec.version}`);
          await tell({ attempt: 1, installer: "Running" });
          return { requeueAfterMs: LOOK_MS };
        } catch (error) {
          if (error instanceof ApiError) throw error;
          const refused = error instanceof HostRefusal;
          const installerMessage = errorMessage(error).slice(0, 1024);
          log.error("The installer could not be run.", { upgrade: metadata.name, cause: installerMessage });
          await tell({ attempt: 0, installer: refused ? "Refused" : "Fetching", installerMessage });
          return refused ? undefined : { requeueAfterMs: RETRY_MS };
        }
      case "watch": {
        const toldAt = this.#toldAt.get(metadata.uid ?? "") ?? -Infinity;
        if (entry.installer !== "Running" || clock.monotonic() - toldAt > TELL_MS) {
          this.#toldAt.set(metadata.uid ?? "", clock.monotonic());
          await tell({ attempt: 1, installer: "Running", output: lastLines(output, undefined) });
        }
        return { requeueAfterMs: LOOK_MS };
      }
      case "stop":
        log.warn("The installer is stopped: the coordinator has given the node up.", { service });
        await units.stop(service);
        return { requeueAfterMs: LOOK_MS };
      case "finish":
        this.#toldAt.delete(metadata.uid ?? "");
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

  /** Removes the folders of upgrades that no longer exist, unless something still runs there. */
  async #forgetOthers(): Promise<undefined> {
    const { root, units } = this.#workplace;
    const known = new Set(this.#upgrades.list().map(({ metadata }) => metadata.uid));
    for (const uid of await Workshop.all(root))
      if (!known.has(uid) && !(await units.runs(serviceName(uid)))) await Workshop.forget(root, uid);
    return undefined;
  }
}
