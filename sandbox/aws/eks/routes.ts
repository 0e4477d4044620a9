/** A call of EKS, with what its path says. */
export interface EksRoute {
  action: string;
  path: Record<string, string>;
}

const CLUSTER = "/clusters/{name}";
const ENTRY = "/clusters/{clusterName}/access-entries/{principalArn}";
const GROUP = "/clusters/{clusterName}/node-groups/{nodegroupName}";
const IDENTITY = "/clusters/{clusterName}/pod-identity-associations";
const PROVIDERS = "/clusters/{clusterName}/identity-provider-configs";

const ROUTES: readonly (readonly [method: string, path: string, action: string])[] = [
  ["POST", "/clusters", "CreateCluster"],
  ["GET", "/clusters", "ListClusters"],
  ["GET", CLUSTER, "DescribeCluster"],
  ["DELETE", CLUSTER, "DeleteCluster"],
  ["POST", `${CLUSTER}/update-config`, "UpdateClusterConfig"],
  ["POST", `${CLUSTER}/updates`, "UpdateClusterVersion"],
  ["GET", `${CLUSTER}/updates`, "ListUpdates"],
  ["GET", `${CLUSTER}/updates/{updateId}`, "DescribeUpdate"],
  ["POST", "/clusters/{clusterName}/encryption-config/associate", "AssociateEncryptionConfig"],
  ["POST", "/clusters/{clusterName}/node-groups", "CreateNodegroup"],
  ["GET", "/clusters/{clusterName}/node-groups", "ListNodegroups"],
  ["GET", GROUP, "DescribeNodegroup"],
  ["DELETE", GROUP, "DeleteNodegroup"],
  ["POST", `${GROUP}/update-config`, "UpdateNodegroupConfig"],
  ["POST", `${GROUP}/update-version`, "UpdateNodegroupVersion"],
  ["POST", "/clusters/{clusterName}/addons", "CreateAddon"],
  ["GET", "/clusters/{clusterName}/addons", "ListAddons"],
  ["GET", "/clusters/{clusterName}/addons/{addonName}", "DescribeAddon"],
  ["DELETE", "/clusters/{clusterName}/addons/{addonName}", "DeleteAddon"],
  ["POST", "/clusters/{clusterName}/addons/{addonName}/update", "UpdateAddon"],
  ["GET", "/addons/supported-versions", "DescribeAddonVersions"],
  ["POST", "/clusters/{clusterName}/access-entries", "CreateAccessEntry"],
  ["GET", "/clusters/{clusterName}/access-entries", "ListAccessEntries"],
  ["POST", `${ENTRY}/access-policies`, "AssociateAccessPolicy"],
  ["GET", `${ENTRY}/access-policies`, "ListAssociatedAccessPolicies"],
  ["DELETE", `${ENTRY}/access-policies/{policyArn}`, "DisassociateAccessPolicy"],
  // After those above: an ARN may hold anything, so these match their paths too.
  ["GET", ENTRY, "DescribeAccessEntry"],
  ["POST", ENTRY, "UpdateAccessEntry"],
  ["DELETE", ENTRY, "DeleteAccessEntry"],
  ["POST", IDENTITY, "CreatePodIdentityAssociation"],
  ["GET", IDENTITY, "ListPodIdentityAssociations"],
  ["GET", `${IDENTITY}/{associationId}`, "DescribePodIdentityAssociation"],
  ["POST", `${IDENTITY}/{associationId}`, "UpdatePodIdentityAssociation"],
  ["DELETE", `${IDENTITY}/{associationId}`, "DeletePodIdentityAssociation"],
  ["POST", `${PROVIDERS}/associate`, "AssociateIdentityProviderConfig"],
  ["POST", `${PROVIDERS}/describe`, "DescribeIdentityProviderConfig"],
  ["POST", `${PROVIDERS}/disassociate`, "DisassociateIdentityProviderConfig"],
  ["GET", PROVIDERS, "ListIdentityProviderConfigs"],
  ["GET", "/tags/{resourceArn}", "ListTagsForResource"],
  ["POST", "/tags/{resourceArn}", "TagResource"],
  ["DELETE", "/tags/{resourceArn}", "UntagResource"],
];

const VERBS: Readonly<Record<string, string>> = { GET: "Get", DELETE: "Delete" };

const COMPILED = ROUTES.map(([method, path, action]) => ({
  method,
  action,
  names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
  // An ARN is encoded by some clients and not by others, so a name may hold slashes.
  pattern: new RegExp(
    `^${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name.endsWith("Arn") ? "(.+?)" : "([^/]+)"))}$`,
  ),
}));

/** Names a call of EKS as its API reference does. */
export function eksAction(method: string, target: string): EksRoute {
  const [pathname = "", query = ""] = target.split("?");
  const search = Object.fromEntries(new URLSearchParams(query));
  for (const route of COMPILED) {
    const found = route.method === method ? route.pattern.exec(pathname) : null;
    if (found === null) continue;
    const path = { ...search };
    route.names.forEach((name, index) => (path[name] = decodeURIComponent(found[index + 1] ?? "")));
    return { action: route.action, path };
  }
  return { action: `${VERBS[method] ?? "Post"}${pathname.replaceAll("/", "-")}`, path: search };
}
