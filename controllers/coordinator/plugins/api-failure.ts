import { ApiError, ApplyConflictError, isConflict, type Resource } from "../../runtime";
import { isNamespaceGone } from "../../app/ownership";
import { nameOf, type Manifest } from "./manifest";
import type { InstallFailure } from "./install-error";
import { describeMissing, mayNotImpersonate, type AccountName, type Right } from "./permissions";

/**
 * What a refusal of the API server means for an object; undefined if it is not about the object but about the server or
 * temporary, so that all of it is tried again.
 */
export function failureOf(
  error: unknown,
  manifest: Manifest,
  resource: Resource,
  account: AccountName,
): InstallFailure | undefined {
  const what = nameOf(manifest);
  if (error instanceof ApplyConflictError) {
    const fields = error.conflicts.map(
      ({ field, manager }) => `${field} is managed by ${JSON.stringify(manager)}`,
    );
    return {
      reason: "Conflict",
      message: `${what}: ${fields.join(", ")}. Leave these fields out of the manifest, or let the other manager give them up.`,
    };
  }
  if (!(error instanceof ApiError)) return undefined;
  if (isNamespaceGone(error)) {
    const { namespace = "" } = manifest.metadata;
    return error.code === 404
      ? {
          reason: "NamespaceMissing",
          message: `${what}: namespace ${JSON.stringify(namespace)} does not exist. Create it, or add it to the manifests.`,
        }
      : {
          reason: "NamespaceTerminating",
          message: `${what}: the namespace ${namespace} is being deleted. It is created again when the namespace is.`,
          transient: true,
        };
  }
  if (error.code === 403)
    return mayNotImpersonate(error, account) ?? forbidden(error, manifest, resource, account);
  if (error.code === 404)
    return { reason: "KindMissing", message: `${what}: its kind is not served (yet).`, transient: true };
  if (error.code === 503)
    return {
      reason: "ApiUnavailable",
      message: `${what}: its API does not answer: ${said(error)}`,
      transient: true,
    };
  if ((error.code === 400 || error.code === 422) && manifest.kind === "Secret")
    return {
      reason: "Invalid",
      message: `${what}: the server rejects it (${error.code} ${error.reason}). Its message is not shown, because it may hold secrets; run kubectl apply --dry-run=server to see it.`,
    };
  if (error.code === 400 || error.code === 422) {
    const fix = /immutable|may not change/i.test(said(error))
      ? "Delete the object, so that it is created again, or restore the old value."
      : "Correct the manifest.";
    return { reason: "Invalid", message: `${what}: ${said(error)} ${fix}` };
  }
  return isConflict(error)
    ? { reason: "Changing", message: `${what} changed meanwhile.`, transient: true }
    : undefined;
}

function said({ status, message }: ApiError): string {
  const text = (status.message ?? message).slice(0, 600);
  return text.endsWith(".") ? text : `${text}.`;
}

function forbidden(
  error: ApiError,
  manifest: Manifest,
  resource: Resource,
  account: AccountName,
): InstallFailure {
  const verb = / cannot ([a-z]+) resource /.exec(said(error))?.[1];
  if (verb === undefined) {
    const grants = said(error).includes("not currently held");
    const fix = grants
      ? `Give ${account.namespace}/${account.name} these rights itself, or name an account in spec.serviceAccountName that has them.`
      : "Ask the owner of the admission policy that rejects it, or change the manifest.";
    return {
      reason: grants ? "Forbidden" : "Refused",
      message: `${nameOf(manifest)}: ${said(error)} ${fix}`,
    };
  }
  const right: Right = {
    verbs: [verb],
    resource,
    namespace: manifest.metadata.namespace,
    name: manifest.metadata.name,
  };
  return { reason: "Forbidden", message: describeMissing(account, [right]) };
}
