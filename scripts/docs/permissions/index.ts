export { notNamed } from "./asked";
export { everyCluster } from "./every-cluster";
export { hosted } from "./hosted";
export { permissionsPage, policyOf } from "./page";
export { allActions, type PermissionGroup } from "./permission";
export { selfManaged } from "./self-managed";
export { tokensBelow, tokensIn } from "./used-types";
