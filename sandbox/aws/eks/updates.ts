import { randomUUID } from "node:crypto";
import { reply } from "../answer";
import { text } from "../call";
import type { Addition } from "../rule";
import { clusterAddition, notFound, type ClusterCall } from "./handlers";
import type { EksStore, Fields, Update } from "./store";

/** Begins an update and gives it as EKS answers it. */
export function startUpdate({ record, now }: ClusterCall, type: string, changes: Fields): Fields {
  const update: Update = {
    id: randomUUID(),
    type,
    params: Object.entries(changes).map(([name, value]) => ({
      type: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value: typeof value === "string" ? value : JSON.stringify(value),
    })),
    createdAt: now,
  };
  record.updates[update.id] = update;
  return { ...update, status: "InProgress", errors: [] };
}

/** Whether an update of this kind still runs. */
export function isRunning(update: Update, nowSeconds: number, settleMs: number): boolean {
  return nowSeconds - update.createdAt < settleMs / 1000;
}

/** Updates can be followed: InProgress for a while, then Successful. */
export function updates(store: EksStore, settleMs: () => number): Addition {
  return clusterAddition("updates", store, {
    DescribeUpdate({ call, record, now }) {
      const id = text(call, "updateId") ?? "";
      const update = record.updates[id];
      if (update === undefined) return notFound(`No update found for ID: ${id}`);
      const status = isRunning(update, now, settleMs()) ? "InProgress" : "Successful";
      return reply({ update: { ...update, status, errors: [] } });
    },
    ListUpdates: ({ record }) => reply({ updateIds: Object.keys(record.updates) }),
  });
}
