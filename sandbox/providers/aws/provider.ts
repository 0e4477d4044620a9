// The sandbox's own provider for `@pulumi/aws`, as the provider shell serves it.
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import type { Log } from "../shell/context";
import type { Func } from "../shell/function";
import type { Provider } from "../shell/provider";
import { changeKind, type Diff, type Resource, UnfinishedResource } from "../shell/resource";
import { UNKNOWN, type Values } from "../shell/wire";
import { describeError } from "./core/errors";
import { Journal } from "./core/journal";
import { without } from "./core/value";
import { AwsOperations } from "./operations";
import { lookups, resources } from "./registry";
import { AwsSession } from "./session";
import { readSettings, SETTINGS, type Settings } from "./settings";

/** The sandbox's `@pulumi/aws` provider: AWS's real API calls, for the types that our components use. */
export function awsProvider(version: string, environment: NodeJS.ProcessEnv = process.env): Provider {
  let session: AwsSession | undefined;
  let journal: Journal | undefined;
  let operations: AwsOperations | undefined;
  const configured = (): AwsOperations => {
    if (operations === undefined) throw new Error("The engine has not configured the aws provider yet.");
    return operations;
  };
  return {
    name: "aws",
    version,
    settings: SETTINGS,
    resources: Object.fromEntries([...resources.keys()].map((token) => [token, resource(configured)])),
    functions: Object.fromEntries([...lookups.keys()].map((token) => [token, func(token, configured)])),
    configure: async (config: Values, log: Log) => {
      if (config.profile !== undefined) {
        log.warning("The sandbox's aws provider does not use aws:profile; set accessKey and secretKey.");
      }
      const settings = readSettings(config, environment);
      session = new AwsSession(settings);
      journal = new Journal(journalFolder(settings, environment));
      operations = new AwsOperations(session, journal);
      await session.checkAccount().catch(rethrow);
    },
    engineGone: () => journal?.keep(),
    close: async () => {
      journal?.close();
      await session?.close();
    },
  };
}

/** One type as the shell uses it. The URN says which type it is. */
function resource(operations: () => AwsOperations): Resource {
  return {
    importable: true,
    check: (request) => operations().check(request),
    diff: (urn, request): Diff => {
      const { changed, replaces, deleteBeforeReplace } = operations().diff(urn, request);
      const properties = changed.map((name) => {
        const kind = changeKind(request.olds[name], request.news[name]);
        const change = replaces.includes(name) ? ("replace" as const) : ("update" as const);
        return [name, { kind, change, input: false }] as const;
      });
      return { properties: Object.fromEntries(properties), deleteBeforeReplace };
    },
    previewCreate: (news) => without(news, "__defaults"),
    // What AWS computes stays as it is in an update, but for all tags, which follow from the program's.
    previewUpdate: ({ olds, news }) => ({
      ...olds,
      ...without(news, "__defaults"),
      ...("tagsAll" in olds ? { tagsAll: UNKNOWN } : {}),
    }),
    create: (context, news) => operations().create(context.urn, news, context).catch(rethrow),
    read: (context, id, state, inputs) =>
      operations().read(context.urn, id, state, inputs, context).catch(rethrow),
    update: (context, id, request) => operations().update(context.urn, id, request, context).catch(rethrow),
    delete: (context, id, state) => operations().delete(context.urn, id, state, context).catch(rethrow),
    secrets: (received) => {
      const names = new Set([...received].flatMap(({ secrets }) => [...secrets]));
      // A tag that is secret is among all tags too.
      return names.has("tags") ? names.add("tagsAll") : names;
    },
  };
}

function func(token: string, operations: () => AwsOperations): Func {
  return {
    check: () => [],
    invoke: (context, args) => operations().invoke(token, args, context).catch(rethrow),
    secrets: ({ secrets }) => new Set(secrets),
  };
}

/** Errors of AWS with the name that AWS gave them. */
function rethrow(error: unknown): never {
  throw error instanceof UnfinishedResource ? error : new Error(describeError(error), { cause: error });
}

/** The same URN may exist in two clouds at once, so every cloud has a folder of its own. */
function journalFolder(settings: Settings, environment: NodeJS.ProcessEnv): string {
  const cloud = JSON.stringify([
    settings.endpoints,
    settings.credentials?.accessKeyId,
    environment.AWS_ENDPOINT_URL,
  ]);
  const home = environment.PULUMI_HOME ?? path.join(homedir(), ".pulumi");
  const digest = createHash("sha256").update(cloud).digest("hex").slice(0, 16);
  return path.join(home, "fleetwright", "creations", digest);
}
