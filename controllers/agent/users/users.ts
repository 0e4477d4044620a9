import { GROUP } from "../../../api/names";
import { USERS } from "../kinds";
import { ownNode } from "../own-node";
import type { Part } from "../part";
import { HostAccounts } from "./host-accounts";
import type { UserObject } from "./login";
import { UserStatusWriter } from "./status";

/** There is one pass for all accounts, since they share files. */
const ALL = "accounts";
/** Events of the kernel come in bursts; this long one waits for the rest. */
const GATHER_MS = 20;
const DEADLINE_MS = 600_000;
/** Agents that have the same to say wait up to this long, so that the first spares the others the writing. */
const SMEAR_MS = 1000;
const SMEAR_EACH_MS = 50;

/** Accounts and keys of Users on the node. */
export const users: Part = {
  name: "users",
  describes: "accounts on the node for every User, with their keys and sudo rules",
  rules: [
    { apiGroups: [GROUP], resources: ["users"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["users/status"], verbs: ["patch"] },
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
  ],
  setUp(workplace) {
    const { manager, settings } = workplace;
    const all = manager.cache.informer(USERS);
    const node = ownNode(manager.cache, settings.nodeName);
    const host = new HostAccounts(workplace, all);
    const accounts = manager.controller({
      name: "users",
      concurrency: 1,
      // The first pass writes for every User, on a disk that may be slow.
      deadlineMs: DEADLINE_MS,
      reconcile: (_key, context) => host.reconcile(context),
    });
    accounts.watches(all, () => []).watches(node, () => []);
    const status = new UserStatusWriter(
      workplace.client,
      all,
      settings.nodeName,
      host.judged,
      host.failureOf,
    );
    const tell = manager.controller({
      name: "users-status",
      reconcile: (name, context) => status.reconcile(name, context),
    });
    tell.watches(all, () => []);
    all.onChange(({ key, before, after }) => {
      if (isOtherWish(before, after)) {
        host.changed(loginOf(after) ?? loginOf(before));
        accounts.queue.add(ALL);
      } else if (!status.isTold(key, manager.clock.now())) tell.queue.addAfter(key, Math.random() * SMEAR_MS);
    });
    host.start({
      again: () => accounts.queue.addAfter(ALL, GATHER_MS),
      passed: () => {
        const untold = status.untold(manager.clock.now());
        const smear = Math.max(SMEAR_MS, untold.length * SMEAR_EACH_MS);
        for (const name of untold) tell.queue.addAfter(name, Math.random() * smear);
      },
    });
    // Without any User there is no change that would begin the first pass, and old accounts may have to go.
    accounts.queue.add(ALL);
    return () => host.end();
  },
};

/** Whether a User asks for something else than before; its status alone changes more often. */
function isOtherWish(before: UserObject | undefined, after: UserObject | undefined): boolean {
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
