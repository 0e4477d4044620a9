import * as grpc from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import * as plugin from "@pulumi/pulumi/proto/plugin_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { UNKNOWN, without } from "./engine/value";
import { Unfinished } from "./provider";
import type { AwsProvider } from "./provider";
import { checkSettings } from "./settings";
import { fromWire, toWire } from "./wire";
import type { Bag } from "./engine/value";

/** The version of `@pulumi/aws` that this provider stands in for. */
export const VERSION = "7.48.0";

/** Makes the provider once the engine has sent its settings. */
export type Opening = (config: Bag) => Promise<AwsProvider>;

/** The gRPC side of the provider: one method a request, each a translation and a call. */
export function service(open: Opening): grpc.UntypedServiceImplementation {
  let provider: AwsProvider | undefined;
  const configured = (): AwsProvider => {
    if (provider === undefined) throw new Error("The engine has not configured the aws provider yet.");
    return provider;
  };
  return {
    handshake: answer(() => {
      const response = new messages.ProviderHandshakeResponse();
      response.setAcceptSecrets(false);
      return response;
    }),
    getPluginInfo: answer(() => {
      const info = new plugin.PluginInfo();
      info.setVersion(VERSION);
      return info;
    }),
    getSchema: answer(() => {
      const response = new messages.GetSchemaResponse();
      response.setSchema(JSON.stringify({ name: "aws", version: VERSION }));
      return response;
    }),
    attach: answer(() => new Empty()),
    checkConfig: answer((request: messages.CheckRequest) => {
      const response = new messages.CheckResponse();
      // Sent back as it came, so that what is marked as secret stays so in the state.
      response.setInputs(request.getNews());
      response.setFailuresList(checkSettings(fromWire(request.getNews())).map(failure));
      return response;
    }),
    diffConfig: answer((request: messages.DiffRequest) => {
      const response = new messages.DiffResponse();
      const olds = JSON.stringify(fromWire(request.getOlds()));
      const changed = olds !== JSON.stringify(fromWire(request.getNews()));
      const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
      response.setChanges(changed ? DIFF_SOME : DIFF_NONE);
      return response;
    }),
    configure: answer(async (request: messages.ConfigureRequest) => {
      provider = await open(fromWire(request.getArgs()));
      const response = new messages.ConfigureResponse();
      response.setAcceptsecrets(false);
      response.setSupportspreview(true);
      return response;
    }),
    check: answer((request: messages.CheckRequest) => {
      const { inputs, problems } = configured().check({
        urn: request.getUrn(),
        olds: fromWire(request.getOlds()),
        news: fromWire(request.getNews()),
        seed: request.getRandomseed_asU8(),
      });
      const response = new messages.CheckResponse();
      response.setInputs(toWire(inputs));
      response.setFailuresList(problems.map(failure));
      return response;
    }),
    diff: answer((request: messages.DiffRequest) => {
      const news = fromWire(request.getNews());
      const olds = fromWire(request.getOlds());
      const { changed, replaces, deleteBeforeReplace } = configured().diff(request.getUrn(), {
        olds,
        oldInputs: fromWire(request.getOldInputs()),
        news,
        ignore: request.getIgnorechangesList(),
      });
      const response = new messages.DiffResponse();
      const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
      response.setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE);
      response.setDiffsList([...changed]);
      response.setReplacesList([...replaces]);
      response.setDeletebeforereplace(deleteBeforeReplace);
      response.setHasdetaileddiff(true);
      for (const name of changed) {
        const detail = new messages.PropertyDiff();
        detail.setKind(kindOf(olds[name], news[name], replaces.includes(name)));
        response.getDetaileddiffMap().set(name, detail);
      }
      return response;
    }),
    create: answer(async (request: messages.CreateRequest) => {
      const inputs = fromWire(request.getProperties());
      const response = new messages.CreateResponse();
      if (request.getPreview()) {
        response.setProperties(toWire(visible(inputs)));
        return response;
      }
      const { id, state } = await configured().create(request.getUrn(), inputs, request.getTimeout());
      response.setId(id);
      response.setProperties(toWire(state));
      return response;
    }),
    read: answer(async (request: messages.ReadRequest) => {
      const inputs = request.getInputs();
      const known = fromWire(request.getProperties());
      const refreshed = Object.keys(known).length > 0;
      const found = await configured().read(
        request.getUrn(),
        request.getId(),
        known,
        refreshed && inputs !== undefined ? fromWire(inputs) : undefined,
      );
      const response = new messages.ReadResponse();
      if (found === undefined) return response;
      response.setId(found.id);
      response.setProperties(toWire(found.state));
      response.setInputs(toWire(found.inputs));
      return response;
    }),
    update: answer(async (request: messages.UpdateRequest) => {
      const response = new messages.UpdateResponse();
      const olds = fromWire(request.getOlds());
      const news = fromWire(request.getNews());
      if (request.getPreview()) {
        // What AWS computes stays as it is in an update, but for all tags, which follow from the program's.
        response.setProperties(
          toWire({ ...olds, ...visible(news), ...("tagsAll" in olds ? { tagsAll: UNKNOWN } : {}) }),
        );
        return response;
      }
      const state = await configured().update(
        request.getUrn(),
        request.getId(),
        { olds, oldInputs: fromWire(request.getOldInputs()), news, ignore: request.getIgnorechangesList() },
        request.getTimeout(),
      );
      response.setProperties(toWire(state));
      return response;
    }),
    delete: answer(async (request: messages.DeleteRequest) => {
      await configured().delete(
        request.getUrn(),
        request.getId(),
        fromWire(request.getProperties()),
        request.getTimeout(),
      );
      return new Empty();
    }),
    invoke: answer(async (request: messages.InvokeRequest) => {
      const response = new messages.InvokeResponse();
      response.setReturn(toWire(await configured().invoke(request.getTok(), fromWire(request.getArgs()))));
      return response;
    }),
    cancel: answer(() => {
      provider?.cancel();
      return new Empty();
    }),
  };
}

/** Inputs as they stand in the state, without the engine's own note of what was filled in. */
function visible(inputs: Bag): Bag {
  return without(inputs, "__defaults");
}

function failure({ property, reason }: { property: string; reason: string }): messages.CheckFailure {
  const message = new messages.CheckFailure();
  message.setProperty(property);
  message.setReason(reason);
  return message;
}

function kindOf(old: unknown, wanted: unknown, replaces: boolean) {
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = messages.PropertyDiff.Kind;
  if (old === undefined) return replaces ? ADD_REPLACE : ADD;
  if (wanted === undefined) return replaces ? DELETE_REPLACE : DELETE;
  return replaces ? UPDATE_REPLACE : UPDATE;
}

/** A gRPC method out of a function of the request. */
function answer<Request, Response>(respond: (request: Request) => Response | Promise<Response>) {
  return (call: grpc.ServerUnaryCall<Request, Response>, callback: grpc.sendUnaryData<Response>): void => {
    Promise.resolve()
      .then(() => respond(call.request))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(asStatus(error)),
      );
  };
}

/** An error as gRPC sends it. That something was made but is not finished travels with its id and state. */
function asStatus(error: unknown): Partial<grpc.StatusObject> & { code: grpc.status } {
  const text = describe(error);
  const metadata = new grpc.Metadata();
  if (error instanceof Unfinished) {
    const detail = new messages.ErrorResourceInitFailed();
    detail.setId(error.id);
    detail.setProperties(toWire(error.state));
    detail.setInputs(toWire(error.inputs));
    detail.setReasonsList([text]);
    const packed = new Any();
    packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const status = new Status();
    status.setCode(grpc.status.UNKNOWN);
    status.setMessage(text);
    status.addDetails(packed);
    metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  }
  return { code: grpc.status.UNKNOWN, details: text, metadata };
}

/** What went wrong, with the name that AWS gave it. */
function describe(error: unknown): string {
  const cause = error instanceof Unfinished ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.name === "Error" ? cause.message : `${cause.name}: ${cause.message}`;
}
