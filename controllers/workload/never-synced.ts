// What stays on the hub whoever asks for it: objects that every cluster makes for itself, and the namespaces of the cluster's own.
import { isProtectedNamespace } from "../../api";
import type { KubernetesObject } from "../runtime";
import { kindName } from "./kind-name";

const OF_EVERY_NAMESPACE: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["kube-root-ca.crt"],
  ServiceAccount: ["default"],
};
const TOKEN_TYPES = ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"];

/** Why an object must not go to a member, in a sentence; undefined if it may. */
export function reasonNotToSync(object: KubernetesObject & { type?: unknown }): string | undefined {
  const { name, namespace } = object.metadata;
  const kind = kindName(object);
  if (namespace !== undefined && isProtectedNamespace(namespace))
    return `the namespace ${namespace} belongs to each cluster itself: use one of your own`;
  if (OF_EVERY_NAMESPACE[kind]?.includes(name) === true)
    return `every cluster makes ${kind} ${name} itself, in every namespace: use another name`;
  if (kind === "Service" && namespace === "default" && name === "kubernetes")
    return "the Service kubernetes is every cluster's own: use another name";
  if (kind === "Secret" && typeof object.type === "string" && TOKEN_TYPES.includes(object.type))
    return `a token of type ${object.type} is worth nothing in another cluster: let the member make its own`;
  return undefined;
}
