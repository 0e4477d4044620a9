// `npm run hub -- explain`: why a field or a cluster fell out of what the hub serves, with a document that is refused.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { load } from "js-yaml";
import { connect } from "../access/connection";
import { IMPORTS, NEGOTIATED, type ImportObject, type NegotiatedObject } from "../controllers/hub/apis/kinds";
import { plan } from "../controllers/hub/apis/plan";
import { Schemas } from "../controllers/hub/apis/schemas";
import { isNotFound, type ApiClient } from "../controllers/runtime";
import { negotiatedName } from "../api";
import { isObject } from "../lib/json";
import { errorMessage, ExitCode, Failure } from "../lib/failure";
import { describeFields, describePlan } from "./explanation";

/** What `explain --help` prints. */
export const EXPLAIN_HELP = `Tells why a field or a cluster fell out of a kind that the hub negotiates.

Usage: npm run -s hub -- explain certificates.v1.cert-manager.io
       npm run -s hub -- explain deployments.v1.apps --file web.yaml

  --cluster NAME      only what this cluster has to do with
  --field PATH        only this field and what is below it, such as spec.template
  --file FILE         an object: which clusters lack a field that it uses

  --kubeconfig FILE   the kubeconfig of the hub (KUBECONFIG, or ~/.kube/config)
  --context NAME      its context (the current one)`;

const OPTIONS = {
  cluster: { type: "string" },
  field: { type: "string" },
  file: { type: "string" },
  kubeconfig: { type: "string" },
  context: { type: "string" },
} as const;

/** Explains one kind. */
export async function explain(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseWords(argv);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw new Failure(
      `Found ${positionals.join(" ") || "no name"}: name one kind, as in kubectl get negotiatedapiresources.`,
      ExitCode.usage,
    );
  const { client } = await connect(values);
  try {
    const negotiated = await find(client, name, signal);
    const imports = (await all(client, signal)).filter(({ spec }) => negotiatedName(spec) === name);
    const schemas = new Schemas(client);
    const loaded = await Promise.all(
      imports.map(async (object) => ({ object, schema: await schemas.get(object.spec.schemaHash, signal) })),
    );
    if (values.cluster !== undefined && !imports.some(({ spec }) => spec.cluster === values.cluster))
      throw new Failure(
        `The cluster ${JSON.stringify(values.cluster)} has no ${name}: use one of ${imports.map(({ spec }) => spec.cluster).join(", ") || "none"}.`,
      );
    if (values.file !== undefined) {
      process.stdout.write(describeFields(name, await objectIn(values.file), loaded));
      return;
    }
    const given = await givenSchema(negotiated, schemas, signal);
    const agreedBefore = (negotiated.status?.clusters ?? []).flatMap((one) =>
      one.compatible ? [one.name] : [],
    );
    const decided = plan({
      imports: loaded,
      ...(given === undefined ? {} : { given }),
      stored: [],
      agreedBefore,
    });
    process.stdout.write(describePlan(negotiated, decided, imports, values));
  } finally {
    client.close();
  }
}

function parseWords(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Failure(`${errorMessage(error)} See explain --help.`, ExitCode.usage);
  }
}

async function find(client: ApiClient, name: string, signal: AbortSignal): Promise<NegotiatedObject> {
  try {
    return await client.get(NEGOTIATED, { name }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Failure(
      `The hub negotiates no ${JSON.stringify(name)}: take a name of kubectl get negotiatedapiresources, such as certificates.v1.cert-manager.io.`,
    );
  }
}

async function all(client: ApiClient, signal: AbortSignal): Promise<ImportObject[]> {
  const { items } = await client.request<{ items: ImportObject[] }>({
    method: "GET",
    path: `/apis/${IMPORTS.group}/${IMPORTS.version}/${IMPORTS.plural}`,
    signal,
  });
  return items;
}

// What holds whatever the clusters have stands in status as what was agreed on.
async function givenSchema({ spec, status }: NegotiatedObject, schemas: Schemas, signal: AbortSignal) {
  const enforced =
    status?.conditions?.some(({ type, status: is }) => type === "Enforced" && is === "True") ?? false;
  const hash = spec.strategy === "Pinned" ? spec.schemaHash : enforced ? status?.schemaHash : undefined;
  return hash === undefined ? undefined : schemas.get(hash, signal);
}

async function objectIn(file: string): Promise<Record<string, unknown>> {
  const found = load(await readFile(file, "utf8"));
  if (isObject(found)) return found;
  throw new Failure(`${file} holds no object: give one manifest as YAML or JSON.`);
}
