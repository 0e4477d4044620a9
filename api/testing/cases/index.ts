import type { HubKindName, KindName } from "../../kinds";
import { authorizationRoleBindingCases, authorizationRoleCases } from "./authorization";
import type { Cases } from "./case";
import { clusterUpgradeCases } from "./cluster-upgrade";
import { clusterCases } from "./hub/cluster";
import { apiResourceImportCases, apiSchemaCases, negotiatedApiResourceCases } from "./hub/negotiation";
import { shareCases } from "./hub/share";
import { clusterLabelCases, nodePoolLabelCases } from "./label";
import { pluginCases } from "./plugin";
import { registryCases } from "./registry";
import { userCases } from "./user";

export { changed, validSpecs, type Cases, type Malformed } from "./case";

/** Valid and malformed objects of every kind. */
export const CASES: Readonly<Record<KindName | HubKindName, Cases>> = {
  User: userCases,
  Registry: registryCases,
  ClusterLabel: clusterLabelCases,
  NodePoolLabel: nodePoolLabelCases,
  Plugin: pluginCases,
  AuthorizationRole: authorizationRoleCases,
  AuthorizationRoleBinding: authorizationRoleBindingCases,
  ClusterUpgrade: clusterUpgradeCases,
  Cluster: clusterCases,
  APISchema: apiSchemaCases,
  APIResourceImport: apiResourceImportCases,
  NegotiatedAPIResource: negotiatedApiResourceCases,
  Share: shareCases,
};
