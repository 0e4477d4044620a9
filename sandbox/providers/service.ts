import {
  status,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { PluginInfo, type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { errorMessage } from "../failure";
import { type Context, type Log, redact } from "./context";
import { memberProblems } from "./kind";
import type { Operations } from "./operations";
import { functionOf, type Provider, resourceOf } from "./provider";
import { diffResponse, failures, NONE, SOME } from "./responses";
import { receive, type Received, send, textsIn, type Values } from "./wire";

/** Where the service's logs go: the engine, about one resource. */
export interface Logs {
  about(urn: string): Log;
  attach(engineAddress: string): void;
}

/** Settings that the engine itself keeps among a provider's. */
const ENGINE_SETTINGS = new Set(["version", "pluginDownloadURL", "__internal", "__pulumi-go-provider-infer"]);

/**
 * The engine's resource provider protocol for one provider. The SDK's own server for providers drops what secrets need
 * (marks on outputs, old inputs) and previews, so the protocol is spoken here.
 */
export function providerService(
  provider: Provider,
  operations: Operations,
  logs: Logs,
): UntypedServiceImplementation {
  let config: Values = {};

  const context = (
    urn: string,
    name: string,
    signal: AbortSignal,
    received: readonly Received[],
  ): Context => {
    const secretTexts = received.flatMap(({ values, secrets }) => textsIn(values, secrets));
    const log = logs.about(urn);
    const safely = (say: (message: string) => void) => (message: string) => say(redact(message, secretTexts));
    return {
      name,
      signal,
      config,
      secretTexts,
      secretNames: new Set(received.flatMap(({ secrets }) => [...secrets])),
      log: { status: safely(log.status), info: safely(log.info), warning: safely(log.warning) },
    };
  };

  /** Runs the work of one call under a signal that ends with the resource's timeout or a cancellation. */
  const operate = <T>(
    request: Named & { getTimeout?(): number },
    received: readonly Received[],
    work: (context: Context) => Promise<T>,
  ): Promise<T> =>
    operations.run(request.getTimeout?.() ?? 0, async (signal) => {
      const surroundings = context(request.getUrn(), nameOf(request), signal, received);
      try {
        return await work(surroundings);
      } catch (error) {
        throw new Error(redact(errorMessage(error), surroundings.secretTexts), { cause: error });
      }
    });

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
      const problems = memberProblems(provider.settings, settings);
      if (problems.length === 0) problems.push(...(provider.checkSettings?.(settings) ?? []));
      return new proto.CheckResponse()
        .setInputs(request.getNews())
        .setFailuresList(failures(provider, problems));
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
      config = ownSettings(received(request.getArgs()).values);
      return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: unary(async (request: proto.CheckRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const news = received(request.getNews());
      const { defaults, problems } = resource.check(news.values);
      // What came in goes back as it came, secrets inside included.
      const inputs = { ...request.getNews()?.toJavaScript(), ...send(defaults, new Set()) };
      return new proto.CheckResponse()
        .setInputs(Struct.fromJavaScript(inputs))
        .setFailuresList(failures(provider, problems));
    }),

    diff: unary(async (request: proto.DiffRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const olds = received(request.getOlds()).values;
      const oldInputs = received(request.getOldInputs() ?? request.getOlds()).values;
      const news = received(request.getNews()).values;
      return diffResponse(resource.diff(olds, oldInputs, news), oldInputs, news);
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
      if (Object.keys(inputs.values).length === 0) {
        throw new Error(
          `${typeOf(request)} cannot be imported by its id "${request.getId()}": it exists only in the state of the stack that made it.`,
        );
      }
      const now = await operate(request, [state, inputs], (context) =>
        resource.read(context, request.getId(), state.values),
      );
      const response = new proto.ReadResponse();
      if (now === undefined) return response;
      return response
        .setId(request.getId())
        .setProperties(sent(now, resource.secrets([state, inputs])))
        .setInputs(request.getInputs());
    }),

    update: unary(async (request: proto.UpdateRequest) => {
      const resource = resourceOf(provider, typeOf(request));
      const olds = received(request.getOlds());
      const oldInputs = received(request.getOldInputs() ?? request.getOlds());
      const news = received(request.getNews());
      const state = request.getPreview()
        ? resource.previewUpdate(olds.values, oldInputs.values, news.values)
        : await operate(request, [olds, news], (context) =>
            resource.update(context, request.getId(), olds.values, oldInputs.values, news.values),
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
      const problems = called.check(args.values);
      if (problems.length > 0) {
        return new proto.InvokeResponse().setFailuresList(failures(provider, problems));
      }
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
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !ENGINE_SETTINGS.has(name)));
}

function received(struct: Struct | undefined): Received {
  return receive(struct?.toJavaScript() ?? {});
}

function sent(values: Values, secrets: ReadonlySet<string>): Struct {
  return Struct.fromJavaScript(send(values, secrets));
}

function unary<Request, Response>(handle: (request: Request) => Promise<Response>) {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
    handle(call.request).then(
      (response) => callback(null, response),
      (error: unknown) => callback({ code: status.UNKNOWN, details: errorMessage(error) }),
    );
  };
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
