// The Node object that the agent runs on: the only one it watches.
import { ORDER_ANNOTATION, REPORT_ANNOTATION } from "../../api/upgrade-annotations";
import type { Cache, Controller, Informer } from "../runtime";
import { NODES, type NodeObject } from "./kinds";

/** The informer of the agent's own node: the server sends no other. */
export function ownNode(cache: Cache, name: string): Informer<NodeObject> {
  return cache.informer(NODES, { fieldSelector: `metadata.name=${name}`, transform: slim });
}

/** Queues the node when one of the fields that `select` returns changes: the kubelet updates its status all the time. */
export function watchNode(
  controller: Controller,
  node: Informer<NodeObject>,
  select: (node: NodeObject) => unknown,
): void {
  const selected = (one: NodeObject | undefined): string =>
    one === undefined ? "" : JSON.stringify(select(one));
  controller.watches(node, () => []);
  node.onChange(({ key, before, after }) => {
    if (selected(before) !== selected(after)) controller.queue.add(key);
  });
}

// Fields that no controller reads are not cached, above all the list of images.
function slim({ apiVersion, kind, metadata, spec, status }: NodeObject): NodeObject {
  const { name, uid, resourceVersion, labels, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(
    ([key]) => key === ORDER_ANNOTATION || key === REPORT_ANNOTATION,
  );
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
    spec: { taints: (spec?.taints ?? []).map(({ key }) => ({ key })) },
    status: { conditions: status?.conditions ?? [] },
  };
}
