import { crc32 } from "node:zlib";
import type * as aws from "@pulumi/aws";
import type { Plain } from "../core/declaration";
import { lookup } from "../core/declaration";
import { isRecord, isList } from "../core/value";

type Args = Plain<aws.iam.GetPolicyDocumentArgs>;
type Statement = NonNullable<aws.iam.GetPolicyDocumentArgs["statements"]>[number];
type Document = Record<string, unknown>;

/** A policy document out of statements: nothing is asked of AWS. */
export const getPolicyDocument = lookup<aws.iam.GetPolicyDocumentArgs, aws.iam.GetPolicyDocumentResult>({
  token: "aws:iam/getPolicyDocument:getPolicyDocument",
  args: ["overridePolicyDocuments", "policyId", "sourcePolicyDocuments", "statements", "version"],
  async invoke(_context, args) {
    const document = policyDocument(args);
    const json = JSON.stringify(document, undefined, 2);
    return { ...args, id: String(crc32(json)), json, minifiedJson: JSON.stringify(document) };
  },
});

/** The document, in the order of keys that the official provider has. */
export function policyDocument(args: Args): Document {
  const own = (args.statements ?? []).map(written);
  const base = merged(documents(args.sourcePolicyDocuments), own, true);
  const all = merged(documents(args.overridePolicyDocuments), base, false);
  return {
    Version: args.version ?? "2012-10-17",
    ...(args.policyId === undefined ? {} : { Id: args.policyId }),
    ...(all.length === 0 ? {} : { Statement: all }),
  };
}

/** Statements of other documents before our own, or over them where they have the same Sid. */
function merged(others: readonly Document[], own: readonly Document[], before: boolean): Document[] {
  const statements = others.flatMap((document) => {
    const list = document.Statement;
    return (isList(list) ? list : [list]).filter(isRecord);
  });
  const [first, second] = before ? [statements, own] : [own, statements];
  const result: Document[] = first.map((statement) => ({ ...statement }));
  for (const statement of second) {
    const sid = statement.Sid;
    const index = typeof sid === "string" && sid !== "" ? result.findIndex((other) => other.Sid === sid) : -1;
    if (index >= 0) result[index] = { ...statement };
    else result.push({ ...statement });
  }
  return result;
}

function documents(texts: readonly string[] | undefined): Document[] {
  return (texts ?? [])
    .filter((text) => text !== "")
    .map((text) => {
      const document: unknown = JSON.parse(text);
      if (!isRecord(document))
        throw new Error(`A policy document has to be a JSON object, but is ${text.slice(0, 80)}`);
      return document;
    });
}

function written(statement: Statement): Document {
  const { sid, effect, actions, notActions, resources, notResources, principals, notPrincipals, conditions } =
    statement;
  return {
    ...(sid ? { Sid: sid } : {}),
    Effect: effect ?? "Allow",
    ...named("Action", actions),
    ...named("NotAction", notActions),
    ...named("Resource", resources?.map(variables)),
    ...named("NotResource", notResources?.map(variables)),
    ...who("Principal", principals),
    ...who("NotPrincipal", notPrincipals),
    ...when(conditions),
  };
}

/** `&{…}` stands for a policy variable, because `${…}` means something to the program's language. */
function variables(text: string): string {
  return text.replaceAll("&{", "${");
}

function named(key: string, list: readonly string[] | undefined): Document {
  if (list === undefined || list.length === 0) return {};
  return { [key]: list.length === 1 ? list[0] : [...list].sort().reverse() };
}

function who(
  key: string,
  list: readonly { type: string; identifiers: readonly string[] }[] | undefined,
): Document {
  if (list === undefined || list.length === 0) return {};
  if (list.length === 1 && list[0]?.type === "*") return { [key]: "*" };
  const types = [...new Set(list.map(({ type }) => type))].sort();
  return {
    [key]: Object.fromEntries(
      types.map((type) => {
        const all = list
          .filter((one) => one.type === type)
          .flatMap(({ identifiers }) => identifiers.map(variables));
        return [type, all.length === 1 ? all[0] : all.sort().reverse()];
      }),
    ),
  };
}

function when(
  list: readonly { test: string; variable: string; values: readonly string[] }[] | undefined,
): Document {
  if (list === undefined || list.length === 0) return {};
  const result: Record<string, Record<string, unknown>> = {};
  for (const { test, variable, values } of list) {
    const texts = values.map(variables);
    result[test] = { ...result[test], [variable]: texts.length === 1 ? texts[0] : texts };
  }
  return { Condition: result };
}
