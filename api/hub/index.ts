export {
  apiResourceImport,
  type APIResourceImport,
  type APIResourceImportSpecInput,
} from "./api-resource-import";
export { apiSchema, type APISchema, type APISchemaSpecInput } from "./api-schema";
export { cluster, type Cluster, type ClusterSpecInput } from "./cluster";
export {
  CLUSTER_NAMESPACE_PREFIX,
  CLUSTER_PIN_LABEL,
  clusterNamespace,
  HUB_PLURALS,
  importName,
  MAX_CLUSTER_NAME,
  MAX_MANIFEST,
  MAX_OBSERVED,
  MAX_SCHEMA_DATA,
  negotiatedName,
  type ApiResource,
} from "./names";
export {
  negotiatedApiResource,
  type NegotiatedAPIResource,
  type NegotiatedAPIResourceSpecInput,
} from "./negotiated-api-resource";
export type { Difference } from "./resource";
export { share, type Share, type ShareSpecInput } from "./share";
export {
  BOOTSTRAP_ACCOUNT,
  CERTIFICATE_SECONDS,
  clusterUser,
  SIGNER,
  USAGES,
  USED_ANNOTATION,
} from "./registration";
