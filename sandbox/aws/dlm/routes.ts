const ROUTES: readonly (readonly [method: string, path: RegExp, action: string, name?: string])[] = [
  ["POST", /^\/policies\/?$/, "CreateLifecyclePolicy"],
  ["GET", /^\/policies\/?$/, "GetLifecyclePolicies"],
  ["GET", /^\/policies\/([^/]+)\/?$/, "GetLifecyclePolicy", "policyId"],
  ["PATCH", /^\/policies\/([^/]+)\/?$/, "UpdateLifecyclePolicy", "policyId"],
  ["DELETE", /^\/policies\/([^/]+)\/?$/, "DeleteLifecyclePolicy", "policyId"],
  ["GET", /^\/tags\/(.+?)\/?$/, "ListTagsForResource", "resourceArn"],
  ["POST", /^\/tags\/(.+?)\/?$/, "TagResource", "resourceArn"],
  ["DELETE", /^\/tags\/(.+?)\/?$/, "UntagResource", "resourceArn"],
];

/** Names a call of the Data Lifecycle Manager as its API reference does, with what its path says. */
export function dlmAction(method: string, target: string): { action: string; path: Record<string, string> } {
  const [pathname = ""] = target.split("?");
  for (const [wanted, pattern, action, name] of ROUTES) {
    const found = wanted === method ? pattern.exec(pathname) : null;
    if (found === null) continue;
    return { action, path: name === undefined ? {} : { [name]: decodeURIComponent(found[1] ?? "") } };
  }
  return { action: `${method}${pathname.replaceAll("/", "-")}`, path: {} };
}
