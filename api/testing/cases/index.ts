import type { KindName } from "../../kinds";
import { authorizationRoleBindingCases, authorizationRoleCases } from "./authorization";
import type { Cases } from "./case";
import { clusterUpgradeCases } from "./cluster-upgrade";
import { clusterLabelCases, nodePoolLabelCases } from "./label";
import { pluginCases } from "./plugin";
import { registryCases } from "./registry";
import { userCases } from "./user";

export { changed, validSpecs, type Cases, type Malformed } from "./case";

/** Valid and malformed objects of every kind. */
export const CASES: Readonly<Record<KindName, Cases>> = {
  User: userCases,
  Registry: registryCases,
  ClusterLabel: clusterLabelCases,
  NodePoolLabel: nodePoolLabelCases,
  Plugin: pluginCases,
  AuthorizationRole: authorizationRoleCases,
  AuthorizationRoleBinding: authorizationRoleBindingCases,
  ClusterUpgrade: clusterUpgradeCases,
};
