// Registers the controller for Users: what it watches and what triggers it.
import { GROUP } from "../../../api/names";
import type { AgentController } from "../controller-context";
import { USERS, type UserObject } from "../kinds";
import { ownNode } from "../own-node";
import { UsersReconciler } from "./reconciler";
import { UserStatusWriter } from "./status";

/** All accounts are reconciled under one key, since they share files. */
const ALL = "accounts";
/** The kernel's file notifications come in bursts; this long the reconciler waits for the rest. */
const DEBOUNCE_MS = 20;
const DEADLINE_MS = 600_000;
/** Agents that all have trouble to report on one User wait a random time up to this, and so stay out of each other's way. */
const JITTER_MS = 1000;
const JITTER_PER_USER_MS = 50;

/** Accounts, keys and sudo rules on the node for every User. */
export const users: AgentController = {
  name: "users",
  description: "accounts on the node for every User, with their keys and sudo rules",
  rules: [
    { apiGroups: [GROUP], resources: ["users"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["users/status"], verbs: ["patch"] },
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
  ],
  start(context) {
    const { manager, settings, client } = context;
    const all = manager.cache.informer(USERS);
    const node = ownNode(manager.cache, settings.nodeName);
    const reconciler = new UsersReconciler(context, all);
    const accounts = manager.controller({
      name: "users",
      concurrency: 1,
      // The first reconcile writes files for every User, on a disk that may be slow.
      deadlineMs: DEADLINE_MS,
      reconcile: (_key, reconcileContext) => reconciler.reconcile(reconcileContext),
    });
    accounts.watches(all, () => []).watches(node, () => []);
    const writer = new UserStatusWriter(client, all, settings.nodeName, reconciler);
    const status = manager.controller({
      name: "users-status",
      reconcile: (name, reconcileContext) => writer.reconcile(name, reconcileContext),
    });
    status.watches(all, () => []);
    all.onChange(({ key, before, after }) => {
      if (isSpecChange(before, after)) {
        reconciler.userChanged(loginOf(after) ?? loginOf(before));
        accounts.queue.add(ALL);
      } else if (!writer.isCurrent(key)) status.queue.addAfter(key, Math.random() * JITTER_MS);
    });
    reconciler.onHostChange(() => accounts.queue.addAfter(ALL, DEBOUNCE_MS));
    reconciler.onApplied(() => {
      const stale = writer.stale();
      const jitter = Math.max(JITTER_MS, stale.length * JITTER_PER_USER_MS);
      for (const name of stale) status.queue.addAfter(name, Math.random() * jitter);
    });
    // Without any User no change would trigger the first reconcile, and old accounts may have to be removed.
    accounts.queue.add(ALL);
    context.onShutdown(() => reconciler.shutDown());
  },
};

/** Whether more than the status of a User changed. */
function isSpecChange(before: UserObject | undefined, after: UserObject | undefined): boolean {
  const [was, is] = [before?.metadata, after?.metadata];
  return (
    was?.uid !== is?.uid ||
    was?.generation !== is?.generation ||
    was?.deletionTimestamp !== is?.deletionTimestamp
  );
}

function loginOf(user: UserObject | undefined): string | undefined {
  const { name } = Object(user?.spec) as { name?: unknown };
  return typeof name === "string" ? name : undefined;
}
