import { configurationPage } from "../docs/configuration";
import { everyCluster, hosted, permissionsPage, selfManaged } from "../docs/permissions";
import type { GeneratedFiles } from "./index";
import { pageMark } from "./mark";

/** The pages of docs/reference that are not about one kind. */
export function referenceFiles(): GeneratedFiles {
  return new Map([
    [
      "docs/reference/configuration.md",
      pageMark("components/stack/settings.ts and the components' arguments") + configurationPage(),
    ],
    [
      "docs/reference/permissions.md",
      pageMark("scripts/docs/permissions") + permissionsPage([everyCluster, selfManaged, hosted]),
    ],
  ]);
}
