import { CLUSTER_LABEL_PREFIX, GROUP, NODE_POOL_LABEL, NODE_POOL_LABEL_PREFIX } from "../../../api";
import { compareVersions, Finalizer, isNotFound, type Informer, type StepOutcome } from "../../runtime";
import { ALLOW_DELETION, DeletionGuard } from "../deletion-guard";
import {
  CLUSTER_LABELS,
  NODE_POOL_LABELS,
  type ClusterLabelObject,
  type NodePoolLabelObject,
} from "../kinds";
import { NODES, type Node } from "../native";
import type { Part, Workplace } from "../part";
import { nodesIn } from "../sources";
import { isDeclaredAnew, statusTransform, StatusWriter, well, wrong, type Judgement } from "../status";
import { declarationKey, labelPatch, resolve, sameDeclared, type Declared } from "./declared";

const CONTROLLER = "labels";
/** Statuses count nodes; while many nodes change they are written at most this often. */
const STATUS_EVERY_MS = 1000;
const transform = statusTransform(CONTROLLER);

type LabelObject = ClusterLabelObject | NodePoolLabelObject;
type LabelStatus = NonNullable<ClusterLabelObject["status"]>;

/** Keeps the labels under our two prefixes on every node exactly as they are declared. */
export const labels: Part = {
  name: CONTROLLER,
  describes: "cluster labels and node pool labels on nodes",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    {
      apiGroups: [GROUP],
      resources: ["clusterlabels", "nodepoollabels"],
      verbs: ["get", "list", "watch", "patch"],
    },
    { apiGroups: [GROUP], resources: ["clusterlabels/status", "nodepoollabels/status"], verbs: ["patch"] },
  ],
  setUp(workplace: Workplace): void {
    const { manager, client, concurrency } = workplace;
    const nodes = nodesIn(manager.cache);
    const clusterLabels = manager.cache.informer(CLUSTER_LABELS, { transform });
    const poolLabels = manager.cache.informer(NODE_POOL_LABELS, { transform });
    const guards = { cluster: new DeletionGuard(clusterLabels), pool: new DeletionGuard(poolLabels) };
    const goes = (object: LabelObject): boolean =>
      isPoolLabel(object) ? guards.pool.goes(object) : guards.cluster.goes(object);
    let known: Declared | undefined;
    const declared = (): Declared =>
      (known ??= resolve(clusterLabels.list(), poolLabels.list(), (object) => goes(object as LabelObject)));

    /** The versions of nodes that we wrote and that the cache does not have yet. */
    const written = new Map<string, string>();
    const onNodes = manager
      .controller({
        name: `${CONTROLLER}-nodes`,
        concurrency,
        reconcile: async (key, { signal }) => {
          const node = nodes.get(key);
          const own = written.get(key);
          // Our own write is on its way to us, and wakes us again; what is here now would be written a second time.
          if (node !== undefined && own !== undefined && compareVersions(versionOf(node), own) < 0)
            return undefined;
          written.delete(key);
          const patch = node === undefined ? undefined : labelPatch(node, declared());
          if (node === undefined || patch === undefined) return undefined;
          const { name, uid } = node.metadata;
          try {
            // The uid keeps a new machine of an old name from getting what was worked out for the one before.
            const after = await client.patch(
              NODES,
              { name },
              { metadata: { uid, labels: patch } },
              {
                query: { fieldManager: `fleetwright-${CONTROLLER}` },
                signal,
              },
            );
            written.set(key, versionOf(after));
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
          return undefined;
        },
      })
      .watches(nodes);

    const scene = { nodes, declared };
    declarations(workplace, scene, clusterLabels, guards.cluster);
    declarations(workplace, scene, poolLabels, guards.pool);
    let before: Declared | undefined;
    let comparing = false;
    const changed = (): void => {
      known = undefined;
      if (!comparing) setImmediate(compare);
      comparing = true;
    };
    // Compared as a whole: our own writes of status, and what is held back, change nothing for nodes.
    const compare = (): void => {
      comparing = false;
      const after = declared();
      if (before !== undefined && sameDeclared(before, after)) return;
      before = after;
      for (const node of nodes.list()) onNodes.queue.add(node.metadata.name);
    };
    clusterLabels.onChange(changed);
    poolLabels.onChange(changed);
  },
};

interface Scene {
  nodes: Informer<Node>;
  declared: () => Declared;
}

/** Tells in status where each declaration of one kind is in place, and lets it go when it is nowhere any more. */
function declarations<T extends LabelObject>(
  { manager, client }: Workplace,
  { nodes, declared }: Scene,
  informer: Informer<T>,
  guard: DeletionGuard<T>,
): void {
  const { resource } = informer;
  const status = new StatusWriter<unknown, LabelStatus>(client, resource, CONTROLLER);
  const pending = (object: T): Node[] => {
    const key = labelKeyOf(object);
    return nodes.list().filter((node) => Object.hasOwn(labelPatch(node, declared()) ?? {}, key));
  };
  const finalizer = new Finalizer<T>(client, resource, `${GROUP}/${CONTROLLER}`, [
    {
      name: "nodes",
      run: async (object): Promise<StepOutcome> => {
        const left = pending(object).length;
        return left === 0 ? "done" : { waitingFor: `${left} nodes to lose the label`, againAfterMs: 500 };
      },
    },
  ]);
  const controller = manager.controller({
    name: `${CONTROLLER}-${resource.plural}`,
    reconcile: async (name, { signal }) => {
      const object = informer.get(name);
      if (object === undefined) {
        status.forget(name);
        return undefined;
      }
      if (guard.goes(object)) {
        const end = await finalizer.finalize(object, signal);
        return end.finished ? undefined : end.result;
      }
      await finalizer.ensure(object, signal);
      const key = labelKeyOf(object);
      const members = nodes.list().filter((node) => isMember(node, object));
      const labelled = members.filter(({ metadata }) => metadata.labels?.[key] === object.spec.value).length;
      const kind = isPoolLabel(object) ? "NodePoolLabel" : "ClusterLabel";
      const overruler = declared().overruled.get(declarationKey(kind, name));
      const Ready = guard.holds(object)
        ? wrong("MassDeletion", guard.message)
        : judge({ key, labelled, total: members.length, overruler });
      await status.write(object, { Ready }, { nodes: { labelled, total: members.length } }, signal);
      return undefined;
    },
  });
  const later = (): void => {
    for (const { metadata } of informer.list()) controller.queue.addAfter(metadata.name, STATUS_EVERY_MS);
  };
  nodes.onChange(({ before, after }) => {
    if (before?.metadata.labels !== after?.metadata.labels && !sameLabels(before, after)) later();
  });
  informer.onChange(({ key, before, after }) => {
    // Our own counting in status must not wake us at once, or it would be written as fast as the server takes it.
    if (isDeclaredAnew(before, after)) controller.queue.add(key);
    else controller.queue.addAfter(key, STATUS_EVERY_MS);
    if (before === undefined || after === undefined || marksOf(before) !== marksOf(after)) later();
  });
}

function judge({
  key,
  labelled,
  total,
  overruler,
}: {
  key: string;
  labelled: number;
  total: number;
  overruler: string | undefined;
}): Judgement {
  if (overruler !== undefined)
    return wrong(
      "KeyTaken",
      `The label ${key} is already declared by the older ${overruler}, which holds: delete one of the two or change its key.`,
    );
  return labelled === total
    ? well("Labelled", `All ${total} nodes carry ${key}.`)
    : wrong("Labelling", `${labelled} of ${total} nodes carry ${key}.`);
}

function isPoolLabel(object: LabelObject): object is NodePoolLabelObject {
  return "pool" in object.spec;
}

function labelKeyOf(object: LabelObject): string {
  return (isPoolLabel(object) ? NODE_POOL_LABEL_PREFIX : CLUSTER_LABEL_PREFIX) + object.spec.key;
}

function isMember({ metadata }: Node, object: LabelObject): boolean {
  return !isPoolLabel(object) || metadata.labels?.[NODE_POOL_LABEL] === object.spec.pool;
}

// What decides about others too: whether it goes, and whether that is meant.
function marksOf({ metadata }: LabelObject): string {
  return `${metadata.deletionTimestamp ?? ""} ${metadata.annotations?.[ALLOW_DELETION] ?? ""}`;
}

function versionOf({ metadata: { resourceVersion = "" } }: Node): string {
  return resourceVersion;
}

// Nodes tell of themselves all the time; only their labels matter here.
function sameLabels(a: Node | undefined, b: Node | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels)
  );
}
