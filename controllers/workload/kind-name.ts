// Names of kinds across the versions of their API.

/** The kind with its group, such as `Deployment.apps`, whatever the version; without a dot for the core group. */
export function kindName({
  apiVersion = "",
  kind = "",
}: {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? kind : `${kind}.${apiVersion.slice(0, slash)}`;
}
