// Registers the controller of Plugins.
import { GROUP, PLUGIN_INSTALLER } from "../../../api";
import { Discovery } from "../../runtime";
import { DeletionGuard } from "../../app/deletion-guard";
import { PLUGINS } from "../kinds";
import { SECRETS } from "../native-resources";
import type { CoordinatorController, ControllerContext } from "../controller-context";
import { statusTransform } from "../../app/status";
import { Downloader, type DownloadOptions } from "./download";
import { CONTROLLER } from "./rest-mapping";
import type { Pace } from "./plan";
import { PluginReconciler } from "./reconciler";
import { RECORD_SELECTOR, Revisions } from "./revision";

const transform = statusTransform(CONTROLLER);
/** Downloading and installing a large plugin takes time. */
const DEADLINE_MS = 300_000;

/** The controller with its downloader and pace; tests give their own. */
export function pluginsWith({
  download = {},
  pace = {},
}: {
  download?: DownloadOptions;
  pace?: Pace;
}): CoordinatorController {
  return {
    name: CONTROLLER,
    description:
      "Plugins: install, health, upgrade, rollback and removal, with the rights of a service account",
    rules: [
      // Only these: plugins are installed with the rights of the service account that the Plugin names. Before a
      // namespace of a plugin is deleted, it is searched for objects of others.
      {
        apiGroups: [""],
        resources: ["pods", "persistentvolumeclaims", "services", "configmaps", "secrets"],
        verbs: ["list"],
      },
      { apiGroups: [GROUP], resources: ["plugins"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [GROUP], resources: ["plugins/status"], verbs: ["patch"] },
    ],
    namespacedRules: [
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
    start(context: ControllerContext): void {
      const { manager, client, namespace, concurrency } = context;
      const all = manager.cache.informer(PLUGINS, { transform });
      const records = manager.cache.informer(SECRETS, { namespace, labelSelector: RECORD_SELECTOR });
      const tools = {
        context,
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
export const plugins: CoordinatorController = pluginsWith({});
