// The gRPC service by which the engine talks to every provider of the sandbox.
import {
  status,
  type sendUnaryData,
  type ServerErrorResponse,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { isDeepStrictEqual } from "node:util";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { PluginInfo, type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { errorMessage } from "../../../lib/failure";
import { type Context, type Log, redact } from "./context";
import { type CheckFailure, memberFailures, sentences } from "./kind";
import type { Operations } from "./operations";
import { functionOf, type Provider, resourceOf } from "./provider";
import { UnfinishedResource } from "./resource";
import { diffResponse, failures, NONE, SOME, unfinishedStatus } from "./responses";
import { receive, type Received, send, textsIn, type Values } from "./wire";

/** Where the service's logs go: the engine, about one resource. */
export interface Logs {
  about(urn: string): Log;
  attach(engineAddress: string): void;
}

/** Settings that the engine itself keeps among a provider's; others of its own begin with two underscores. */
const ENGINE_SETTINGS = new Set(["version", "pluginDownloadURL"]);

/**
 * The engine's resource provider protocol for one provider: every provider of the sandbox is served by this. The SDK's
 * own server for providers drops what secrets need (marks on outputs, old inputs) and previews, so the protocol is
 * spoken here. No text that came as a secret leaves in an error, a check failure or a log line.
 */
export function providerService(
  provider: Provider,
  operations: Operations,
  logs: Logs,
): UntypedServiceImplementation {
  let config: Received = { values: {}, secrets: new Set() };

  const secretTextsOf = (received: readonly Received[]): string[] =>
    [config, ...received].flatMap(({ values, secrets }) => textsIn(values, secrets));

  const redactedLog = (urn: string, secretTexts: readonly string[]): Log => {
    const log = logs.about(urn);
    const safely = (say: (message: string) => void) => (message: string) => say(redact(message, secretTexts));
    return {
      status: safely(log.status),
      info: safely(log.info),
      warning: safely(log.warning),
      error: safely(log.error),
    };
  };

  /** Runs work whose errors must not show what came as a secret. */
  const redacted = async <T>(received: readonly Received[], work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const message = redact(errorMessage(error), secretTextsOf(received));
      if (!(error instanceof UnfinishedResource)) throw new Error(message, { cause: error });
      const secrets = new Set(received.flatMap((one) => [...one.secrets]));
      throw unfinishedStatus(message, {
        id: error.id,
        state: sent(error.state, secrets),
        inputs: sent(error.inputs, secrets),
      });
    }
  };

  /** Runs one operation under a signal that ends with the resource's timeout or a cancellation. */
  const operate = <T>(
    request: Named & { getTimeout?(): number },
    received: readonly Received[],
    work: (context: Context) => Promise<T>,
  ): Promise<T> => {
    const timeoutSeconds = request.getTimeout?.() ?? 0;
    const secretTexts = secretTextsOf(received);
    return redacted(received, () =>
      operations.run(timeoutSeconds, (signal) =>
        work({
          urn: request.getUrn(),
          name: nameOf(request),
          signal,
          timeoutSeconds,
          config: config.values,
          secretTexts,
          secretNames: new Set(received.flatMap(({ secrets }) => [...secrets])),
          log: redactedLog(request.getUrn(), secretTexts),
        }),
      ),
    );
  };

  const failuresOf = (found: readonly CheckFailure[], received: Received): proto.CheckFailure[] => {
    const secretTexts = secretTextsOf([received]);
    const safe = found.map(({ property, reason }) => ({ property, reason: redact(reason, secretTexts) }));
    return failures(provider, safe);
  };

  return {
    handshake: unary(async (request: proto.ProviderHandshakeRequest) => {
      logs.attach(request.getEngineAddress());
      return new proto.ProviderHandshakeResponse().setAcceptSecrets(true);
    }),

    attach: unary(async (request: PluginAttach) => {
      logs.attach(request.getAddress());
      return new Empty();
    }),

    getPluginInfo: unary(async () => new PluginInfo().setVersion(provider.version)),

    getSchema: unary(async () =>
      new proto.GetSchemaResponse().setSchema(
        JSON.stringify({
          name: provider.name,
          version: provider.version,
          resources: Object.fromEntries(Object.keys(provider.resources).map((token) => [token, {}])),
          functions: Object.fromEntries(Object.keys(provider.functions).map((token) => [token, {}])),
        }),
      ),
    ),

    checkConfig: unary(async (request: proto.CheckRequest) => {
      const news = received(request.getNews());
      const settings = ownSettings(news.values);
      const found = memberFailures(provider.settings, settings);
      if (found.length === 0) found.push(...(provider.checkSettings?.(settings) ?? []));
      return new proto.CheckResponse()
        .setInputs(request.getNews())
        .setFailuresList(failuresOf(sentences(found), news));
    }),

    diffConfig: unary(async (request: proto.DiffRequest) => {
      const news = received(request.getNews()).values;
      const olds = received(request.getOldInputs() ?? request.getOlds()).values;
      const names = new Set([...Object.keys(news), ...Object.keys(olds)]);
      const changed = [...names].filter((name) => JSON.stringify(news[name]) !== JSON.stringify(olds[name]));
      const replaces = changed.filter((name) => provider.replacingSettings?.includes(name) === true);
      return new proto.DiffResponse()
        .setChanges(changed.length > 0 ? SOME : NONE)
        .setDiffsList(changed)
        .setReplacesList(replaces);
    }),

    configure: unary(async (request: proto.ConfigureRequest) => {
      const { values, secrets } = received(request.getArgs());
      config = { values: ownSettings(values), secrets };
      const log = redactedLog("", secretTextsOf([]));
      await redacted([], () => provider.configure?.(config.values, log));
      return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: unary(async (request: proto.CheckRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const [olds, news] = [received(request.getOlds()), received(request.getNews())];
      const { inputs, failures: found } = await redacted([olds, news], () =>
        resource.check({
          urn: request.getUrn(),
          olds: olds.values,
          news: news.values,
          seed: request.getRandomseed_asU8(),
        }),
      );
      return new proto.CheckResponse()
        .setInputs(sentBack(inputs, news, request.getNews()))
        .setFailuresList(failuresOf(found, news));
    }),

    diff: unary(async (request: proto.DiffRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const { olds, oldInputs, news, change } = changeOf(request);
      return redacted([olds, oldInputs, news], () => diffResponse(resource.diff(request.getUrn(), change)));
    }),

    create: unary(async (request: proto.CreateRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const news = received(request.getProperties());
      const secrets = resource.secrets([news]);
      const response = new proto.CreateResponse();
      if (request.getPreview())
        return response.setProperties(sent(resource.previewCreate(news.values), secrets));
      const { id, state } = await operate(request, [news], (context) =>
        resource.create(context, news.values),
      );
      return response.setId(id).setProperties(sent(state, secrets));
    }),

    read: unary(async (request: proto.ReadRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const state = received(request.getProperties());
      const inputs = received(request.getInputs());
      const isImport = Object.keys(inputs.values).length === 0;
      if (isImport && !resource.importable) {
        throw new Error(
          `${typeOf(request)} cannot be imported by its id "${request.getId()}": it exists only in the state of the stack that made it.`,
        );
      }
      const now = await operate(request, [state, inputs], (context) =>
        resource.read(context, request.getId(), state.values, isImport ? undefined : inputs.values),
      );
      const response = new proto.ReadResponse();
      if (now === undefined) return response;
      return response
        .setId(now.id)
        .setProperties(sent(now.state, resource.secrets([state, inputs])))
        .setInputs(sentBack(now.inputs, inputs, request.getInputs()));
    }),

    update: unary(async (request: proto.UpdateRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const { olds, news, change } = changeOf(request);
      const state = request.getPreview()
        ? resource.previewUpdate(change)
        : await operate(request, [olds, news], (context) =>
            resource.update(context, request.getId(), change),
          );
      return new proto.UpdateResponse().setProperties(sent(state, resource.secrets([news])));
    }),

    delete: unary(async (request: proto.DeleteRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const state = received(request.getProperties());
      await operate(request, [state], (context) => resource.delete(context, request.getId(), state.values));
      return new Empty();
    }),

    invoke: unary(async (request: proto.InvokeRequest) => {
      const token = request.getTok();
      const called = functionOf(provider, token);
      const args = received(request.getArgs());
      const found = called.check(args.values);
      if (found.length > 0) return new proto.InvokeResponse().setFailuresList(failuresOf(found, args));
      const named = { getUrn: () => "", getType: () => token, getName: () => token };
      const result = await operate(named, [args], (context) => called.invoke(context, args.values));
      return new proto.InvokeResponse().setReturn(sent(result, called.secrets(args)));
    }),

    cancel: unary(async () => {
      operations.cancel("the update was cancelled");
      return new Empty();
    }),

    parameterize: absent("Parameterize"),
    call: absent("Call"),
    construct: absent("Construct"),
    getMapping: absent("GetMapping"),
    getMappings: absent("GetMappings"),
    list: absent("List"),
  };
}

/** What names the resource of a request. */
interface Named {
  getUrn(): string;
  getType(): string;
  getName(): string;
}

/** The type token of a request; older engines only send the URN, which ends in parent types, `$`, type, `::`, name. */
export function typeOf(request: Named): string {
  return request.getType() || (request.getUrn().split("::")[2]?.split("$").at(-1) ?? "");
}

function nameOf(request: Named): string {
  return request.getName() || request.getUrn().split("::").slice(3).join("::");
}

function ownSettings(settings: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !ENGINE_SETTINGS.has(name) && !name.startsWith("__")),
  );
}

function received(struct: Struct | undefined): Received {
  return receive(struct?.toJavaScript() ?? {});
}

function sent(values: Values, secrets: ReadonlySet<string>): Struct {
  return Struct.fromJavaScript(send(values, secrets));
}

/** Inputs for the engine: what is as it came goes back as it came, secrets deep inside included. */
function sentBack(inputs: Values, came: Received, wire: Struct | undefined): Struct {
  const raw = wire?.toJavaScript() ?? {};
  const encoded = send(inputs, came.secrets);
  const same = Object.keys(encoded).filter((name) => isDeepStrictEqual(inputs[name], came.values[name]));
  return Struct.fromJavaScript({
    ...encoded,
    ...Object.fromEntries(same.flatMap((name) => (name in raw ? [[name, raw[name] ?? null]] : []))),
  });
}

/** A request that compares: what came, and the same without the marks of secrets. */
function changeOf(request: proto.DiffRequest | proto.UpdateRequest) {
  const olds = received(request.getOlds());
  const oldInputs = received(request.getOldInputs() ?? request.getOlds());
  const news = received(request.getNews());
  const ignore = request.getIgnorechangesList();
  const change = { olds: olds.values, oldInputs: oldInputs.values, news: news.values, ignore };
  return { olds, oldInputs, news, change };
}

function unary<Request, Response>(handle: (request: Request) => Promise<Response>) {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
    handle(call.request).then(
      (response) => callback(null, response),
      (error: unknown) =>
        callback(isStatus(error) ? error : { code: status.UNKNOWN, details: errorMessage(error) }),
    );
  };
}

function isStatus(error: unknown): error is ServerErrorResponse {
  return error instanceof Error && "metadata" in error;
}

function absent(method: string) {
  return (call: unknown, callback?: sendUnaryData<never>): void => {
    const error = { code: status.UNIMPLEMENTED, details: `${method} is not implemented` };
    if (callback !== undefined) callback(error);
    else if (isEmitter(call)) call.emit("error", error);
  };
}

function isEmitter(value: unknown): value is { emit(event: string, error: unknown): void } {
  return typeof value === "object" && value !== null && "emit" in value && typeof value.emit === "function";
}
