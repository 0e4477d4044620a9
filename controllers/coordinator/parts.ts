import { authorization } from "./authorization";
import type { Part } from "./part";
import { labels } from "./labels";
import { plugins } from "./plugins";
import { registries } from "./registries";
import { serviceAccounts } from "./service-accounts";
import { upgrades } from "./upgrades";

/** Every part, in the order of `--help`. */
export const PARTS: readonly Part[] = [serviceAccounts, registries, labels, authorization, plugins, upgrades];
