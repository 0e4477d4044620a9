import * as proto from "@pulumi/pulumi/proto/provider_pb";
import type { Problem } from "./kind";
import { officialProvider, type Provider } from "./provider";
import { type Differences, sentence } from "./resource";
import type { Values } from "./wire";

/** The two answers to whether anything differs. */
export const { DIFF_NONE: NONE, DIFF_SOME: SOME } = proto.DiffResponse.DiffChanges;

/** Tells the engine what is wrong with properties, and of unknown ones how the official provider may know them. */
export function failures(provider: Provider, problems: readonly Problem[]): proto.CheckFailure[] {
  return problems.map(({ property, reason }) => {
    const unknown = reason.startsWith("there is no property");
    return new proto.CheckFailure()
      .setProperty(property)
      .setReason(`${sentence([{ property, reason }])}${unknown ? `\n${officialProvider(provider)}` : ""}`);
  });
}

/** Tells the engine which properties differ and how; pure, so that the table of kinds can be tested. */
export function diffResponse(differences: Differences, oldInputs: Values, news: Values): proto.DiffResponse {
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = proto.PropertyDiff.Kind;
  const response = new proto.DiffResponse().setHasdetaileddiff(true);
  const names = Object.keys(differences);
  response.setChanges(names.length > 0 ? SOME : NONE).setDiffsList(names);
  for (const [name, { onChange, input }] of Object.entries(differences)) {
    const replaces = onChange === "replace";
    if (replaces) response.addReplaces(name);
    const kind = !input
      ? replaces
        ? UPDATE_REPLACE
        : UPDATE
      : oldInputs[name] === undefined
        ? replaces
          ? ADD_REPLACE
          : ADD
        : news[name] === undefined
          ? replaces
            ? DELETE_REPLACE
            : DELETE
          : replaces
            ? UPDATE_REPLACE
            : UPDATE;
    response.getDetaileddiffMap().set(name, new proto.PropertyDiff().setKind(kind).setInputdiff(input));
  }
  return response;
}
