import * as grpc from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { CheckFailure } from "./kind";
import { officialProvider, type Provider } from "./provider";
import type { Diff, PropertyChange } from "./resource";

/** The two answers to whether anything differs. */
export const { DIFF_NONE: NONE, DIFF_SOME: SOME } = proto.DiffResponse.DiffChanges;

/** Check failures as the engine takes them; those of unknown properties say how to use the official provider. */
export function failures(provider: Provider, found: readonly CheckFailure[]): proto.CheckFailure[] {
  return found.map(({ property, reason }) => {
    const unknown = reason.startsWith(`${property} there is no property`);
    return new proto.CheckFailure()
      .setProperty(property)
      .setReason(`${reason}${unknown ? `\n${officialProvider(provider)}` : ""}`);
  });
}

/** A diff as the engine takes it; pure, so that the table of kinds can be tested. */
export function diffResponse({ properties, deleteBeforeReplace = false }: Diff): proto.DiffResponse {
  const response = new proto.DiffResponse().setHasdetaileddiff(true);
  const names = Object.keys(properties);
  response.setChanges(names.length > 0 ? SOME : NONE).setDiffsList(names);
  response.setDeletebeforereplace(deleteBeforeReplace);
  for (const [name, change] of Object.entries(properties)) {
    if (change.change === "replace") response.addReplaces(name);
    const detail = new proto.PropertyDiff().setKind(diffKind(change)).setInputdiff(change.input);
    response.getDetaileddiffMap().set(name, detail);
  }
  return response;
}

/** An error that says: this resource exists, with this id and state, but it is not finished. */
export function unfinishedStatus(
  message: string,
  { id, state, inputs }: { id: string; state: Struct; inputs: Struct },
): grpc.ServerErrorResponse {
  const detail = new proto.ErrorResourceInitFailed()
    .setId(id)
    .setProperties(state)
    .setInputs(inputs)
    .setReasonsList([message]);
  const packed = new Any();
  packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status();
  status.setCode(grpc.status.UNKNOWN);
  status.setMessage(message);
  status.addDetails(packed);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return Object.assign(new Error(message), { code: grpc.status.UNKNOWN, details: message, metadata });
}

function diffKind({ kind, change }: PropertyChange): proto.PropertyDiff.Kind {
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = proto.PropertyDiff.Kind;
  const kinds = {
    add: { update: ADD, replace: ADD_REPLACE },
    delete: { update: DELETE, replace: DELETE_REPLACE },
    update: { update: UPDATE, replace: UPDATE_REPLACE },
  };
  return kinds[kind][change];
}
