import type { Addition } from "../rule";
import type { Timing } from "../timing";
import { accessEntries } from "./access-entries";
import { addons } from "./addons";
import { clusters } from "./clusters";
import { identityProviders } from "./identity-providers";
import { nodegroups } from "./nodegroups";
import { podIdentities } from "./pod-identity";
import type { EksStore } from "./store";
import { tags } from "./tags";
import { updates } from "./updates";

/** Everything about EKS that moto lacks. */
export function eksAdditions(store: EksStore, timing: () => Timing): Addition[] {
  return [
    clusters(store, () => timing().update),
    nodegroups(store),
    addons(store, () => timing().addon),
    accessEntries(store),
    podIdentities(store),
    identityProviders(store, () => timing().update),
    updates(store, () => timing().update),
    tags(store),
  ];
}
