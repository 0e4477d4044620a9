// Serves a kind on the hub by a definition, and never takes one away that has objects.
import { conditionFalse, conditionTrue, type ConditionState } from "../../app/status";
import type { Schema, Stored } from "../../negotiation";
import {
  Applier,
  deleteExactly,
  errorMessage,
  keyOf,
  listInPages,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../../runtime";
import { definitionOf, isOurs, SCHEMA_ANNOTATION } from "./definition";
import { DEFINITIONS, type Definition, type ImportObject, type NegotiatedObject } from "./kinds";
import type { Plan } from "./plan";

const PAGE = 200;

/** Whether a kind is served, and what is said of it. */
export interface Published {
  state: ConditionState;
  served: boolean;
  /** It takes the server some time. */
  again?: boolean;
}

/** Whether a definition serves the version that was negotiated. */
export function servesVersion(
  { spec }: Definition,
  { spec: { version } }: Pick<NegotiatedObject, "spec">,
): boolean {
  return spec.versions.some((one) => one.name === version && one.served);
}

/** The schema of a version. */
export function schemaIn({ spec }: Definition, version: string): Schema | undefined {
  return spec.versions.find((one) => one.name === version)?.schema?.openAPIV3Schema;
}

/** Keeps definitions. */
export class Publisher {
  readonly #client: ApiClient;
  readonly #applier: Applier;

  constructor(client: ApiClient, fieldManager: string) {
    this.#client = client;
    this.#applier = new Applier(client, fieldManager);
  }

  /** The objects on the hub, which a new schema must accept. */
  async stored(definition: Definition, { spec }: NegotiatedObject, signal: AbortSignal): Promise<Stored[]> {
    const resource: Resource = {
      group: spec.group,
      version: spec.version,
      kind: definition.spec.names.kind,
      plural: spec.resource,
      namespaced: definition.spec.scope === "Namespaced",
    };
    const found: Stored[] = [];
    if (!servesVersion(definition, { spec })) return found;
    const take = (items: KubernetesObject[]): void =>
      void found.push(...items.map((object) => ({ key: keyOf(object), object })));
    const restart = (): void => void found.splice(0);
    await listInPages(this.#client, resource, {}, { page: take, restart }, { pageSize: PAGE, signal });
    return found;
  }

  /** Makes, keeps or takes away the definition, and says what is served. */
  async publish(
    { spec, metadata }: NegotiatedObject,
    { schema }: Plan,
    fitting: readonly ImportObject[],
    live: Definition | undefined,
    signal: AbortSignal,
  ): Promise<Published> {
    const name = `${spec.resource}.${spec.group}`;
    if (spec.strategy === "PerObject")
      return { served: true, state: conditionTrue("BuiltIn", "The hub serves the kind by itself.") };
    if (live !== undefined && !isOurs(live))
      return servesVersion(live, { spec })
        ? {
            served: true,
            state: conditionTrue("Enforced", `The definition ${name} on the hub was made by hand and holds.`),
          }
        : {
            served: false,
            state: conditionFalse(
              "Enforced",
              `The definition ${name} on the hub was made by hand and does not serve ${spec.version}: add the version there, or delete the definition.`,
            ),
          };
    if (!spec.publish) {
      if (live === undefined || !servesVersion(live, { spec }))
        return {
          served: false,
          state: conditionFalse("NotAsked", "The hub does not serve the kind: set spec.publish to true."),
        };
      const left = await this.stored(live, { metadata, spec }, signal);
      if (left.length > 0)
        return {
          served: true,
          state: conditionTrue(
            "ObjectsStored",
            `publish is false, but the hub has ${left.length} objects of the kind, such as ${left
              .slice(0, 3)
              .map(({ key }) => key)
              .join(", ")}: delete them first, because with the definition they would all go.`,
          ),
        };
      await deleteExactly(this.#client, DEFINITIONS, live, signal);
      return { served: false, state: conditionFalse("NotAsked", "The hub no longer serves the kind.") };
    }
    if (live !== undefined && !servesVersion(live, { spec }))
      return {
        served: false,
        state: conditionFalse(
          "AnotherVersion",
          `The hub serves ${live.spec.versions.map((one) => one.name).join(", ")} of ${name}, and without a webhook it cannot convert: set publish to false there first.`,
        ),
      };
    const wanted = schema === undefined ? undefined : definitionOf(fitting, schema);
    if (wanted === undefined)
      return {
        served: live !== undefined,
        state: conditionFalse(
          "NothingFits",
          "Nothing fits the clusters that have the kind: see their APIResourceImports.",
        ),
      };
    try {
      await this.#applier.apply(DEFINITIONS, wanted, { live, force: true, signal });
    } catch (error) {
      return {
        served: live !== undefined,
        state: conditionFalse(
          "Refused",
          `The API server refuses the definition: ${errorMessage(error).slice(0, 1500)}`,
        ),
      };
    }
    const refusal = live?.status?.conditions?.find(
      ({ type, status }) => (type === "NamesAccepted" || type === "Established") && status === "False",
    );
    const established =
      live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ??
      false;
    const current =
      live?.metadata.annotations?.[SCHEMA_ANNOTATION] === wanted.metadata.annotations?.[SCHEMA_ANNOTATION];
    if (!established || !current)
      return {
        served: established,
        again: true,
        state: conditionFalse(
          refusal?.reason ?? "Establishing",
          refusal?.message ?? "The API server has not taken up the definition yet.",
        ),
      };
    return {
      served: true,
      state: conditionTrue("Published", `The hub serves the kind by the definition ${name}.`),
    };
  }
}
