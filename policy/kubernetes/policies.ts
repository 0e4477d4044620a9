import { withExemptionsPolicy } from "../core/exemptions-policy";
import { replicas } from "./deployment/replicas";
import { allowsDisruption } from "./disruption-budget/allows-disruption";
import { digest } from "./image/digest";
import { registry } from "./image/registry";
import { defaultDeny } from "./namespace/default-deny";
import { notDefault } from "./namespace/not-default";
import { podSecurity } from "./namespace/pod-security";
import { dropsCapabilities } from "./pod/drops-capabilities";
import { noEscalation as podNoEscalation } from "./pod/no-escalation";
import { noHostNamespaces } from "./pod/no-host-namespaces";
import { noHostPath } from "./pod/no-host-path";
import { noHostPort } from "./pod/no-host-port";
import { notPrivileged } from "./pod/not-privileged";
import { ownServiceAccount } from "./pod/own-service-account";
import { readOnlyRoot } from "./pod/read-only-root";
import { resources } from "./pod/resources";
import { runsAsNonRoot } from "./pod/runs-as-non-root";
import { seccomp } from "./pod/seccomp";
import { secretsAsFiles } from "./pod/secrets-as-files";
import { noClusterAdmin } from "./rbac/no-cluster-admin";
import { noEscalation as rbacNoEscalation } from "./rbac/no-escalation";
import { noNodeProxy } from "./rbac/no-node-proxy";
import { noPodCreationForAll } from "./rbac/no-pod-creation-for-all";
import { noSecretListing } from "./rbac/no-secret-listing";
import { noSystemMasters } from "./rbac/no-system-masters";
import { noTokenCreation } from "./rbac/no-token-creation";
import { noWebhookWrites } from "./rbac/no-webhook-writes";
import { noWildcards } from "./rbac/no-wildcards";
import { noAutomount } from "./service-account/no-automount";

/** The policies for what runs in clusters. */
export const policies = withExemptionsPolicy("kubernetes", [
  replicas,
  allowsDisruption,
  digest,
  registry,
  defaultDeny,
  notDefault,
  podSecurity,
  dropsCapabilities,
  podNoEscalation,
  noHostNamespaces,
  noHostPath,
  noHostPort,
  notPrivileged,
  ownServiceAccount,
  readOnlyRoot,
  resources,
  runsAsNonRoot,
  seccomp,
  secretsAsFiles,
  noClusterAdmin,
  rbacNoEscalation,
  noNodeProxy,
  noPodCreationForAll,
  noSecretListing,
  noSystemMasters,
  noTokenCreation,
  noWebhookWrites,
  noWildcards,
  noAutomount,
]);
