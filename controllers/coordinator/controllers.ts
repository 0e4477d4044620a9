import { authorization } from "./authorization";
import type { CoordinatorController } from "./controller-context";
import { labels } from "./labels";
import { nodes } from "./nodes";
import { plugins } from "./plugins";
import { registries } from "./registries";
import { serviceAccounts } from "./service-accounts";
import { upgrades } from "./upgrades";
import { users, userStatus } from "./users";

/** Every controller, in the order of `--help`. */
export const CONTROLLERS: readonly CoordinatorController[] = [
  serviceAccounts,
  registries,
  labels,
  users,
  authorization,
  plugins,
  upgrades,
  nodes,
  userStatus,
];
