// Registers the controller for the status of Users.
import { GROUP } from "../../../api";
import { USERS, type UserObject } from "../../app/user";
import type { ControllerContext, CoordinatorController } from "../controller-context";
import { hasDeclarationChanged } from "../../app/status";
import { UserStatusReconciler } from "./status-reconciler";

const CONTROLLER = "user-status";
const BY_LOGIN = "login";
/** Hundreds of nodes may report the same trouble at once; what they say together is written at most this often. */
const FAILURES_INTERVAL_MS = 1000;

/** What holds for a User on every node: whether it is in order, its keys in force and when the next one expires. */
export const userStatus: CoordinatorController = {
  name: CONTROLLER,
  description: "the status of Users, but for what single nodes report",
  rules: [
    { apiGroups: [GROUP], resources: ["users"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["users/status"], verbs: ["patch"] },
  ],
  start({ manager, client, concurrency }: ControllerContext): void {
    const users = manager.cache.informer(USERS);
    users.addIndex(BY_LOGIN, (user) => loginsOf(user));
    const reconciler = new UserStatusReconciler(client, `fleetwright-${CONTROLLER}`, users);
    const { queue } = manager
      .controller({
        name: CONTROLLER,
        concurrency,
        reconcile: (name, context) => reconciler.reconcile(name, context),
      })
      .watches(users, () => []);
    users.onChange(({ key, before, after }) => {
      if (!hasDeclarationChanged(before, after)) {
        queue.addAfter(key, FAILURES_INTERVAL_MS);
        return;
      }
      reconciler.userChanged();
      queue.add(key);
      // Of those that declare the same login name only the oldest gets it.
      for (const login of new Set([before, after].flatMap((user) => loginsOf(user))))
        for (const { metadata } of users.byIndex(BY_LOGIN, login)) queue.add(metadata.name);
    });
  },
};

function loginsOf(user: UserObject | undefined): string[] {
  const { name } = Object(user?.spec) as { name?: unknown };
  return typeof name === "string" ? [name] : [];
}
