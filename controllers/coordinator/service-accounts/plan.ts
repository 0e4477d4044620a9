// Decides which namespaces get the service account, and what it looks like. Pure functions.
import type { OwnerReference } from "../../runtime";
import { isTerminating, type Namespace, type ServiceAccount } from "../native-resources";
import { ownLabels } from "../../app/ownership";

/** The service account that every namespace has. */
export const SERVICE_ACCOUNT = "fleetwright";
/** With the value `disabled` on a namespace, it has none. */
export const SERVICE_ACCOUNT_LABEL = "fleetwright.dev/service-account";
/** As in `--controllers`, labels and field managers. */
export const CONTROLLER = "service-accounts";

/** What a namespace should have: its service account, none, or whatever it has because nothing can be made there. */
export function wantedIn(namespace: Namespace | undefined): "account" | "none" | "whatever" {
  if (namespace === undefined || isTerminating(namespace)) return "whatever";
  return namespace.metadata.labels?.[SERVICE_ACCOUNT_LABEL] === "disabled" ? "none" : "account";
}

/** The service account of a namespace. `product` is the product's own namespace. */
export function serviceAccountIn(namespace: string, product: Namespace | undefined): ServiceAccount {
  return {
    metadata: {
      namespace,
      name: SERVICE_ACCOUNT,
      labels: ownLabels(CONTROLLER),
      ...(product === undefined || isTerminating(product) ? {} : { ownerReferences: [owner(product)] }),
    },
  };
}

// The product's namespace owns them all: when it is deleted, Kubernetes collects them, even if nothing of the product
// runs any more.
function owner({ metadata: { name, uid = "" } }: Namespace): OwnerReference {
  return { apiVersion: "v1", kind: "Namespace", name, uid };
}
