export {
  accountUser,
  AUTHORIZATION_ACCOUNT,
  CLUSTER_AUTHORIZATION_ACCOUNT,
  COORDINATOR_ACCOUNT,
  NATIVE_PREFIX,
} from "./accounts";
export {
  ceilingRules,
  CLUSTER_CEILING,
  NAMESPACE_CEILING,
  RBAC_GROUP,
  type RaisedCeiling,
  type RoleRule,
} from "./ceiling";
export { ceilingObjects, type CeilingObject } from "./manifests";
export {
  isProtectedNamespace,
  PROTECTED_LABEL,
  PROTECTED_NAMESPACES,
  PROTECTED_NAMESPACES_RESOURCE,
} from "./protected-namespaces";
