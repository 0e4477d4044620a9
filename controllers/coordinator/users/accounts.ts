// The informer of what the people's namespace holds of ours, shared by the controllers.
import { USERS_NAMESPACE } from "../../../api";
import type { Cache, Informer } from "../../runtime";
import { SERVICE_ACCOUNTS, type ServiceAccount } from "../native-resources";
import { MANAGED_BY, PRODUCT } from "../../app/ownership";

/** The accounts of people, and those of the grants that renew their tokens. */
export function peopleAccountsIn(cache: Cache): Informer<ServiceAccount> {
  return cache.informer(SERVICE_ACCOUNTS, {
    namespace: USERS_NAMESPACE,
    labelSelector: `${MANAGED_BY}=${PRODUCT}`,
  });
}
