// Removes nodes whose machine no longer exists.
import {
  errorMessage,
  isConflict,
  isNotFound,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { AwsError, type AwsEnvironment } from "../aws";
import type { ControllerContext } from "../controller-context";
import { NODES, type Node } from "../native-resources";
import { IDS_PER_REQUEST, instanceState, instanceStates } from "./instances";
import type { NotReadyNodes } from "./not-ready";
import {
  allowance,
  isControlPlane,
  isMassLoss,
  isReady,
  machineOf,
  verdictOf,
  witnesses,
  type Machine,
} from "./plan";

/** How patient the controller is. */
export interface NodesTiming {
  /** How long a node is not Ready before the cloud is asked. */
  notReadyMs: number;
  /** How much later the cloud is asked again; both answers have to be that the machine is gone. */
  confirmMs: number;
  /** How long nothing is asked about a machine that exists. */
  existsMs: number;
  /** Within which time at most `most` nodes are removed. */
  windowMs: number;
  most: number;
}

interface Suspect extends Machine {
  node: Node;
}

/** Looks at all nodes at once: how many are lost decides whether any is removed. */
export class NodesReconciler {
  readonly #context: ControllerContext;
  readonly #nodes: Informer<Node>;
  readonly #notReady: NotReadyNodes;
  readonly #environment: AwsEnvironment;
  readonly #timing: NodesTiming;
  /** When the cloud first said that the machine of a node (by uid) is gone. */
  readonly #goneSince = new Map<string, number>();
  /** Until when a node (by uid) is left in peace, because its machine exists. */
  readonly #existsUntil = new Map<string, number>();
  readonly #said = new Set<string>();
  #removals: number[] = [];

  constructor(
    context: ControllerContext,
    nodes: Informer<Node>,
    notReady: NotReadyNodes,
    environment: AwsEnvironment,
    timing: NodesTiming,
  ) {
    this.#context = context;
    this.#nodes = nodes;
    this.#notReady = notReady;
    this.#environment = environment;
    this.#timing = timing;
  }

  async reconcile({ signal, log, clock }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const all = this.#nodes.list();
    this.#forgetOthers(all);
    const lost = all.filter((node) => this.#notReady.lastingMs(node) !== undefined);
    if (lost.length === 0) return undefined;
    const again = { requeueAfterMs: this.#timing.confirmMs };
    const now = clock.monotonic();
    const suspects = lost.flatMap((node): Suspect[] => {
      const machine = machineOf(node);
      if (machine === undefined) this.#sayOnce(node.metadata.uid ?? "", () => log.info(noProviderId(node)));
      const long = (this.#notReady.lastingMs(node) ?? 0) >= this.#timing.notReadyMs;
      const asked = (this.#existsUntil.get(node.metadata.uid ?? "") ?? 0) > now;
      return machine === undefined || !long || asked ? [] : [{ ...machine, node }];
    });
    try {
      const gone = await this.#gone(suspects, all, now, signal);
      await this.#removeConfirmed(gone, all, { signal, log, clock });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      // Asked again as before; that there is no right or no way to the cloud is logged once, and not every minute.
      const cause = errorMessage(error);
      this.#sayOnce(cause, () =>
        log.warn("EC2 could not be asked about the machines of nodes that are not Ready; they stay.", {
          cause,
        }),
      );
    }
    return again;
  }

  /** Those whose machine is gone, as the cloud says now for all of them. */
  async #gone(
    suspects: readonly Suspect[],
    all: readonly Node[],
    now: number,
    signal: AbortSignal,
  ): Promise<Suspect[]> {
    const gone: Suspect[] = [];
    for (const region of new Set(suspects.map((suspect) => suspect.region))) {
      const known = witnesses(all, region);
      const here = suspects.filter((suspect) => suspect.region === region);
      for (let from = 0; from < here.length; from += IDS_PER_REQUEST) {
        const part = here.slice(from, from + IDS_PER_REQUEST);
        const ids = [...part.map(({ id }) => id), ...known];
        const states = await instanceStates(this.#environment, region, ids, signal);
        const knowsOthers = known.some((id) => states.get(id) === "running");
        for (const suspect of part) {
          const uid = suspect.node.metadata.uid ?? "";
          const verdict = verdictOf(states.get(suspect.id), knowsOthers);
          if (verdict === "gone") gone.push(suspect);
          else this.#goneSince.delete(uid);
          if (verdict === "exists") this.#existsUntil.set(uid, now + this.#timing.existsMs);
        }
      }
    }
    return gone;
  }

  async #removeConfirmed(
    gone: readonly Suspect[],
    all: readonly Node[],
    { signal, log, clock }: ReconcileContext,
  ): Promise<void> {
    if (gone.length === 0) return;
    const ready = all.filter(isReady).length;
    if (isMassLoss(gone.length, { total: all.length, ready })) {
      const text = `The machines of ${gone.length} of ${all.length} nodes do not exist any more, which is too many to be tidied up unseen; the nodes stay. Look at the cloud account, and delete the nodes by hand: kubectl delete node ${gone.map(({ node }) => node.metadata.name).join(" ")}`;
      this.#sayOnce(`mass ${gone.length}`, () => log.error(text));
      return;
    }
    const { windowMs, most, confirmMs } = this.#timing;
    for (const suspect of gone) {
      const { node } = suspect;
      const uid = node.metadata.uid ?? "";
      if (isControlPlane(node)) {
        this.#sayOnce(`control plane ${uid}`, () =>
          this.#tell(node, "Warning", "MachineGone", controlPlane(suspect)),
        );
        continue;
      }
      const now = clock.monotonic();
      const since = this.#goneSince.get(uid);
      if (since === undefined) this.#goneSince.set(uid, now);
      if (since === undefined || now - since < confirmMs) continue;
      this.#removals = this.#removals.filter((at) => now - at < windowMs);
      if (allowance(this.#removals, now, windowMs, most) === 0) return;
      if (!(await this.#confirmed(suspect, signal))) continue;
      this.#removals.push(now);
      await this.#remove(suspect, { signal, log });
    }
  }

  /** Asks about the one machine alone, right before its node goes. */
  async #confirmed({ region, id }: Machine, signal: AbortSignal): Promise<boolean> {
    const state = await instanceState(this.#environment, region, id, signal);
    return state === "terminated" || state === "unknown";
  }

  async #remove(suspect: Suspect, { signal, log }: Pick<ReconcileContext, "signal" | "log">): Promise<void> {
    const { name, uid, resourceVersion } = suspect.node.metadata;
    try {
      // The version too: a node that says anything meanwhile stays.
      await this.#context.client.delete(NODES, { name }, { uid, resourceVersion }, signal);
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    const note = `The node is removed: EC2 says that its machine ${suspect.id} does not exist any more.`;
    log.info(note, { node: name, machine: suspect.id, region: suspect.region });
    this.#tell(suspect.node, "Normal", "MachineGone", note);
  }

  #tell(node: Node, type: "Normal" | "Warning", reason: string, note: string): void {
    this.#context.recorder.record(NODES, node, { type, reason, action: "RemovingNode", note });
  }

  #sayOnce(about: string, say: () => void): void {
    if (this.#said.has(about)) return;
    if (this.#said.size > 1000) this.#said.clear();
    this.#said.add(about);
    say();
  }

  #forgetOthers(all: readonly Node[]): void {
    const uids = new Set(
      all
        .filter((node) => this.#notReady.lastingMs(node) !== undefined)
        .map(({ metadata }) => metadata.uid ?? ""),
    );
    for (const known of [this.#goneSince, this.#existsUntil])
      for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid);
  }
}

function noProviderId({ metadata: { name }, spec }: Node): string {
  return `Node ${name} is not Ready, and whether its machine exists cannot be asked: its provider id is ${JSON.stringify(spec?.providerID ?? "")} and not aws:///ZONE/INSTANCE. It stays until somebody deletes it.`;
}

function controlPlane({ id, node }: Suspect): string {
  return `EC2 says that the machine ${id} of this control-plane node does not exist any more. The node is left alone, because its etcd member goes with it: replace the server by pulumi up, or, if it is gone for good, kubectl delete node ${node.metadata.name}`;
}
