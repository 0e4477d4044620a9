import type { Cache, Informer, KubernetesObject } from "../runtime";
import {
  NAMESPACES,
  NODES,
  SERVICE_ACCOUNTS,
  type Namespace,
  type Node,
  type ServiceAccount,
} from "./native-resources";

// What is never looked at is not kept: on a large cluster it would be most of the memory.
function slim<T extends KubernetesObject>(object: T): T {
  object.metadata.managedFields = undefined;
  if (object.metadata.annotations !== undefined) object.metadata.annotations = {};
  return object;
}

function slimServiceAccount({
  apiVersion,
  kind,
  metadata,
  imagePullSecrets,
}: ServiceAccount): ServiceAccount {
  const kept: ServiceAccount = slim({ metadata });
  if (apiVersion !== undefined) kept.apiVersion = apiVersion;
  if (kind !== undefined) kept.kind = kind;
  if (imagePullSecrets !== undefined) kept.imagePullSecrets = imagePullSecrets;
  return kept;
}

const KEPT_CONDITIONS = ["Ready", "EtcdIsVoter"];

function slimNode({ metadata, spec, status }: Node): Node {
  const { annotations } = metadata;
  const conditions = status?.conditions?.filter(({ type }) => KEPT_CONDITIONS.includes(type));
  const kubeletVersion = status?.nodeInfo?.kubeletVersion;
  const node = slim({ metadata });
  const ours = Object.entries(annotations ?? {}).filter(([key]) => key.includes("fleetwright.dev/"));
  if (ours.length > 0) node.metadata.annotations = Object.fromEntries(ours);
  return {
    ...node,
    spec: {
      ...(spec?.unschedulable === true ? { unschedulable: true } : {}),
      ...(spec?.providerID === undefined ? {} : { providerID: spec.providerID }),
    },
    status: {
      ...(conditions === undefined ? {} : { conditions }),
      ...(kubeletVersion === undefined ? {} : { nodeInfo: { kubeletVersion } }),
    },
  };
}

/** All namespaces, shared by the controllers. */
export function namespacesIn(cache: Cache): Informer<Namespace> {
  return cache.informer(NAMESPACES, { transform: slim });
}

/** All service accounts with what they pull by, shared by the controllers. */
export function serviceAccountsIn(cache: Cache): Informer<ServiceAccount> {
  return cache.informer(SERVICE_ACCOUNTS, { transform: slimServiceAccount });
}

/** All nodes with their labels, readiness and version, shared by the controllers. */
export function nodesIn(cache: Cache): Informer<Node> {
  return cache.informer(NODES, { transform: slimNode });
}
