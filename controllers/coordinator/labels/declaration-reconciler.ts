// Reconciles the status and the deletion of ClusterLabels and NodePoolLabels.
import { GROUP } from "../../../api";
import {
  Finalizer,
  type ApiClient,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  type StepOutcome,
} from "../../runtime";
import { MASS_DELETION, type DeletionGuard } from "../../app/deletion-guard";
import type { ClusterLabelObject } from "../kinds";
import type { Node } from "../native-resources";
import { conditionFalse, StatusWriter } from "../../app/status";
import type { Declarations } from "./declarations";
import { declarationKey, isMember, isPoolLabel, labelKeyOf, labelPatch, type LabelObject } from "./plan";
import { readyCondition } from "./status";

type LabelStatus = NonNullable<ClusterLabelObject["status"]>;

/** Writes to the status of each label how many nodes carry it; deletes it when no node does any more. */
export class DeclarationReconciler<T extends LabelObject> {
  readonly #nodes: Informer<Node>;
  readonly #declarations: Declarations;
  readonly #informer: Informer<T>;
  readonly #guard: DeletionGuard<T>;
  readonly #status: StatusWriter<unknown, LabelStatus>;
  readonly #finalizer: Finalizer<T>;

  constructor(
    client: ApiClient,
    controller: string,
    nodes: Informer<Node>,
    declarations: Declarations,
    informer: Informer<T>,
    guard: DeletionGuard<T>,
  ) {
    this.#nodes = nodes;
    this.#declarations = declarations;
    this.#informer = informer;
    this.#guard = guard;
    this.#status = new StatusWriter<unknown, LabelStatus>(client, informer.resource, controller);
    this.#finalizer = new Finalizer<T>(client, informer.resource, `${GROUP}/${controller}`, [
      { name: "nodes", run: async (object) => this.#awaitRemoval(object) },
    ]);
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const object = this.#informer.get(name);
    if (object === undefined) {
      this.#status.forget(name);
      return undefined;
    }
    if (this.#guard.confirmsDeletion(object)) {
      const end = await this.#finalizer.finalize(object, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(object, signal);
    const key = labelKeyOf(object);
    const members = this.#nodes.list().filter((node) => isMember(node, object));
    const total = members.length;
    const labelled = members.filter(({ metadata }) => metadata.labels?.[key] === object.spec.value).length;
    const kind = isPoolLabel(object) ? "NodePoolLabel" : "ClusterLabel";
    const overruler = this.#declarations.current.overruled.get(declarationKey(kind, name));
    const Ready = this.#guard.holdsBack(object)
      ? conditionFalse(MASS_DELETION, this.#guard.message)
      : readyCondition({ key, labelled, total, overruler });
    await this.#status.write(object, { Ready }, { nodes: { labelled, total } }, signal);
    return undefined;
  }

  #awaitRemoval(object: T): StepOutcome {
    const key = labelKeyOf(object);
    const { current } = this.#declarations;
    const left = this.#nodes.list().filter((node) => Object.hasOwn(labelPatch(node, current) ?? {}, key));
    return left.length === 0
      ? "done"
      : { waitingFor: `${left.length} nodes to lose the label`, againAfterMs: 500 };
  }
}
