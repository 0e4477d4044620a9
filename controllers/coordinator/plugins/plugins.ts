import { GROUP, PLUGIN_INSTALLER } from "../../../api";
import { DeletionGuard } from "../deletion-guard";
import { PLUGINS } from "../kinds";
import { SECRETS } from "../native";
import type { Part, Workplace } from "../part";
import { statusTransform } from "../status";
import { Discovery } from "./discovery";
import { Downloader, type DownloadOptions } from "./download";
import { CONTROLLER } from "./placing";
import { PluginReconciler, type Pace } from "./reconciler";
import { RECORD_SELECTOR, Revisions } from "./revision";

const transform = statusTransform(CONTROLLER);
/** Installing much, and fetching it before, takes its time. */
const DEADLINE_MS = 300_000;

/** The part with its surroundings; tests give their own. */
export function pluginsWith({ download = {}, pace = {} }: { download?: DownloadOptions; pace?: Pace }): Part {
  return {
    name: CONTROLLER,
    describes:
      "Plugins: install, health, upgrade, rollback and removal, with the rights of a service account",
    rules: [
      // Only these: what plugins install is installed with the rights of the account that the Plugin names. Before a
      // namespace that a plugin made goes, it is looked whether somebody else has something in it.
      {
        apiGroups: [""],
        resources: ["pods", "persistentvolumeclaims", "services", "configmaps", "secrets"],
        verbs: ["list"],
      },
      { apiGroups: [GROUP], resources: ["plugins"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [GROUP], resources: ["plugins/status"], verbs: ["patch"] },
    ],
    homeRules: [
      // The records of what was installed.
      {
        apiGroups: [""],
        resources: ["secrets"],
        verbs: ["get", "list", "watch", "create", "patch", "delete"],
      },
      {
        apiGroups: [""],
        resources: ["serviceaccounts"],
        resourceNames: [PLUGIN_INSTALLER],
        verbs: ["impersonate"],
      },
    ],
    setUp(workplace: Workplace): void {
      const { manager, client, namespace, concurrency } = workplace;
      const all = manager.cache.informer(PLUGINS, { transform });
      const records = manager.cache.informer(SECRETS, { namespace, labelSelector: RECORD_SELECTOR });
      const tools = {
        workplace,
        discovery: new Discovery(manager.reader),
        revisions: new Revisions(client, namespace, records),
      };
      const reconciler = new PluginReconciler(
        tools,
        all,
        new DeletionGuard(all),
        new Downloader(download),
        pace,
      );
      manager
        .controller({
          name: CONTROLLER,
          reconcile: (name, context) => reconciler.reconcile(name, context),
          concurrency: Math.min(concurrency, 4),
          deadlineMs: DEADLINE_MS,
        })
        .watches(all)
        .watches(records, () => []);
    },
  };
}

/** Installs what Plugins name, keeps it, and removes all of it with them. */
export const plugins: Part = pluginsWith({});
