import { ApiError, resourceName, type ApiClient, type Resource } from "../../runtime";
import { definedBy, type MappedManifest } from "./rest-mapping";
import type { InstallFailure } from "./install-error";

/** A service account in the product's namespace. */
export interface AccountName {
  namespace: string;
  name: string;
}

/** What somebody may do, or may not. */
export interface Right {
  verbs: readonly string[];
  resource: Resource;
  namespace: string | undefined;
  /** Undefined for all names. */
  name: string | undefined;
}

/** What it takes to install an object, to look after it and to remove it. */
export const VERBS: readonly string[] = ["get", "create", "patch", "delete"];
const AT_ONCE = 2;

/** The rights that installing needs, in the end of removal too. */
export function neededRights(mapped: readonly MappedManifest[]): Right[] {
  return mapped.flatMap(({ manifest, resource }): Right[] => [
    { verbs: VERBS, resource, namespace: manifest.metadata.namespace, name: manifest.metadata.name },
    // Before a definition goes, it is looked whether somebody else still has objects of it.
    ...definedBy(manifest)
      .slice(0, 1)
      .map((made) => ({ verbs: ["list"], resource: made, namespace: undefined, name: undefined })),
  ]);
}

/** Which of these rights the one who asks does not have. */
export async function missingRights(
  client: ApiClient,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<Right[]> {
  const answers = new Map<string, Promise<boolean>>();
  const may = (verb: string, { resource: { group, plural }, namespace, name }: Right): Promise<boolean> => {
    const attributes = { verb, group, resource: plural, namespace, name };
    const key = JSON.stringify(attributes);
    const known = answers.get(key) ?? review(client, attributes, signal);
    answers.set(key, known);
    return known;
  };
  const missing: Right[] = [];
  for (let at = 0; at < rights.length; at += AT_ONCE) {
    const found = await Promise.all(
      rights.slice(at, at + AT_ONCE).map(async (right) => {
        const verbs = await Promise.all(
          right.verbs.map(async (verb) =>
            // Mostly all names are allowed or none: asked once for all objects of a kind.
            (await may(verb, { ...right, name: undefined })) || (await may(verb, right)) ? [] : [verb],
          ),
        );
        return { ...right, verbs: verbs.flat() };
      }),
    );
    missing.push(...found.filter(({ verbs }) => verbs.length > 0));
  }
  return missing;
}

async function review(client: ApiClient, resourceAttributes: object, signal: AbortSignal): Promise<boolean> {
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const { status } = await client.request<{ status?: { allowed?: boolean } }>({
    method: "POST",
    path,
    body,
    signal,
  });
  return status?.allowed === true;
}

/** One sentence with what is missing, and the commands that grant it. */
export function describeMissing(
  { namespace: home, name: account }: AccountName,
  missing: readonly Right[],
): string {
  const list = missing.slice(0, 10).map(({ verbs, resource, namespace, name }) => {
    const object = `${resourceName(resource)}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
    return `${verbs.join(", ")} ${object}${namespace === undefined ? "" : ` in the namespace ${namespace}`}`;
  });
  const more = missing.length > 10 ? `, and ${missing.length - 10} more` : "";
  return (
    `The service account ${home}/${account} may not ${list.join("; ")}${more}. ` +
    `Grant it what the plugin needs, if the plugin is trusted with it: ${grants(home, account, missing).join(" && ")}. ` +
    "Or name an account in spec.serviceAccountName that may."
  );
}

function grants(home: string, account: string, missing: readonly Right[]): string[] {
  const [first] = missing;
  if (first === undefined) return [];
  // One example is enough to see how; all of them would be a page.
  const { namespace } = first;
  const alike = missing.filter((right) => right.namespace === namespace);
  const resources = [...new Set(alike.map(({ resource }) => resourceName(resource)))].join(",");
  const verbs = [...new Set(alike.flatMap((right) => right.verbs))].join(",");
  const role = `${account}-more`;
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  const [kind, binding] =
    namespace === undefined ? ["clusterrole", "clusterrolebinding"] : ["role", "rolebinding"];
  return [
    `kubectl create ${kind} ${role}${where} --verb=${verbs} --resource=${resources}`,
    `kubectl create ${binding} ${role}${where} --${kind}=${role} --serviceaccount=${home}:${account}`,
  ];
}

/** Whether the coordinator was refused to act as the account, and what to do. */
export function mayNotImpersonate(
  error: unknown,
  { namespace, name }: AccountName,
): InstallFailure | undefined {
  if (!(error instanceof ApiError) || error.code !== 403) return undefined;
  if (!(error.status.message ?? "").includes(' cannot impersonate resource "serviceaccounts"'))
    return undefined;
  const role = `fleetwright-coordinator-as-${name}`;
  return {
    reason: "AccountNotAllowed",
    message:
      `The coordinator may not act as the service account ${namespace}/${name}, so nothing is done with its rights. If every writer of Plugins may have them: ` +
      `kubectl create role ${role} -n ${namespace} --verb=impersonate --resource=serviceaccounts --resource-name=${name} && ` +
      `kubectl create rolebinding ${role} -n ${namespace} --role=${role} --serviceaccount=${namespace}:fleetwright-coordinator. Or name another in spec.serviceAccountName.`,
  };
}
