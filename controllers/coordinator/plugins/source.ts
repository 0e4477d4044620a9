// Reads the manifests of a Plugin from its source: inline, a ConfigMap or Secret, an OCI artifact or a URL.
import { ApiError } from "../../runtime";
import type { PluginObject } from "../kinds";
import { CONFIG_MAPS, SECRETS } from "../native-resources";
import type { Account } from "./account";
import { artifactDocuments } from "./artifact";
import type { Downloader } from "./download";
import { documentsIn, manifestsIn, MAX_BYTES, unfolded } from "./manifest";
import { InstallError } from "./install-error";
import { mayNotImpersonate } from "./permissions";
import { digestOf, type Desired, type Revision } from "./revision";
import { substitute, type Values } from "./values";

type Spec = PluginObject["spec"];
interface Reference {
  name: string;
  namespace: string;
}

/** What a Plugin's spec asks for: fetched, checked and with its values put in. Everything is read with the account's rights. */
export async function readSource(
  { spec }: PluginObject,
  account: Account,
  downloader: Downloader,
  last: Revision | undefined,
  signal: AbortSignal,
): Promise<Desired> {
  const values = await valuesOf(spec, account, signal);
  const { version, namespace, source } = spec;
  const texts = await textsOf(source, account, signal);
  const fingerprint = digestOf([source, texts, Object.entries(values).sort(), namespace]);
  if (last?.fingerprint === fingerprint && !last.rollback)
    return { version, namespace, fingerprint, rollback: false, objects: last.objects };
  const { where, documents } = await documentsOf(source, texts, account, downloader, signal);
  const objects = manifestsIn(substitute(unfolded(documents, where), values), where);
  return { version, namespace, fingerprint, rollback: false, objects };
}

/** What an earlier version was, out of the history. */
export function recall(revisions: readonly Revision[], version: string): Desired {
  const found = revisions.findLast((one) => one.version === version && one.progress.outcome === "Succeeded");
  if (found !== undefined) return { ...found, rollback: true };
  const known = [
    ...new Set(
      revisions.filter(({ progress }) => progress.outcome === "Succeeded").map((one) => one.version),
    ),
  ];
  throw new InstallError(
    "NotInHistory",
    `The version ${version} is not in the history, so nothing is changed; there is ${known.join(", ") || "none"}. Name one of these in spec.rollbackTo, or give its manifests as spec.source.`,
  );
}

async function valuesOf(
  { values = {}, valuesFrom }: Spec,
  account: Account,
  signal: AbortSignal,
): Promise<Values> {
  const all: Record<string, string> = {};
  for (const { configMapRef, secretRef } of valuesFrom) {
    if (configMapRef !== undefined) Object.assign(all, await configMap(account, configMapRef, signal));
    if (secretRef !== undefined) Object.assign(all, await secret(account, secretRef, signal));
  }
  return Object.assign(all, values);
}

/** The texts that an object in the cluster holds, if it is one that does. */
async function textsOf(
  { configMapRef, secretRef }: Spec["source"],
  account: Account,
  signal: AbortSignal,
): Promise<[key: string, text: string][] | undefined> {
  const given = configMapRef ?? secretRef;
  if (given === undefined) return undefined;
  const kind = configMapRef === undefined ? "Secret" : "ConfigMap";
  const data = await (configMapRef === undefined ? secret : configMap)(account, given, signal);
  const keys = given.key === undefined ? Object.keys(data).sort() : [given.key];
  return keys.map((key) => {
    if (Object.hasOwn(data, key)) return [key, data[key] ?? ""];
    throw new InstallError(
      "SourceMissing",
      `The ${kind} ${given.namespace}/${given.name} has no key ${JSON.stringify(key)}; it has: ${Object.keys(data).sort().join(", ") || "none"}. Add it, or name another.`,
    );
  });
}

async function documentsOf(
  { inline, oci, http }: Spec["source"],
  texts: [key: string, text: string][] | undefined,
  account: Account,
  downloader: Downloader,
  signal: AbortSignal,
): Promise<{ where: string; documents: unknown[] }> {
  if (inline !== undefined) return { where: "spec.source.inline", documents: inline };
  if (http !== undefined) {
    const bytes = await downloader.file(new URL(http.url), http.digest, { signal, maxBytes: MAX_BYTES });
    return { where: http.url, documents: documentsIn(bytes.toString("utf8"), http.url) };
  }
  if (oci !== undefined) {
    const { reference, pullSecretRef } = oci;
    const config =
      pullSecretRef === undefined
        ? undefined
        : ((await secret(account, pullSecretRef, signal))[".dockerconfigjson"] ?? "");
    return { where: reference, documents: await artifactDocuments(downloader, reference, config, signal) };
  }
  const documents = (texts ?? []).flatMap(([key, text]) =>
    documentsIn(text, `the key ${JSON.stringify(key)} of the source`),
  );
  return { where: "the source", documents };
}

async function configMap(
  account: Account,
  ref: Reference,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const found = await reading("ConfigMap", ref, account, () => account.get(CONFIG_MAPS, ref, signal));
  return found.data ?? {};
}

async function secret(
  account: Account,
  ref: Reference,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const { data = {} } = await reading("Secret", ref, account, () => account.get(SECRETS, ref, signal));
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}

async function reading<T>(
  kind: string,
  { namespace, name }: Reference,
  account: Account,
  read: () => Promise<T | undefined>,
): Promise<T> {
  let found: T | undefined;
  try {
    found = await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    const { namespace: home, name: who } = account.name;
    const refused = mayNotImpersonate(error, account.name);
    throw new InstallError(
      refused?.reason ?? "Forbidden",
      refused?.message ??
        `The service account ${home}/${who} may not read the ${kind} ${namespace}/${name}: put it into a namespace where it may, or grant it: kubectl create role ${who}-reads -n ${namespace} --verb=get --resource=${kind.toLowerCase()}s --resource-name=${name} && kubectl create rolebinding ${who}-reads -n ${namespace} --role=${who}-reads --serviceaccount=${home}:${who}.`,
    );
  }
  if (found !== undefined) return found;
  throw new InstallError(
    "SourceMissing",
    `There is no ${kind} ${namespace}/${name}: make it, or name another.`,
  );
}
