// Negotiates one version of a kind: puts its imports together, serves what came of it, and tells each cluster.
import { difference, differencesOf, type Schema } from "../../negotiation";
import { conditionFalse, conditionTrue, StatusWriter, type ConditionState } from "../../app/status";
import {
  deleteExactly,
  isAlreadyExists,
  isNotFound,
  type ApiClient,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { isOurs } from "./definition";
import { IMPORTS, NEGOTIATED, type Definition, type ImportObject, type NegotiatedObject } from "./kinds";
import { perObject, plan, withUnread, type Imported, type Plan } from "./plan";
import { Publisher, schemaIn, servesVersion, type Published } from "./publisher";
import type { Schemas } from "./schemas";

const CONTROLLER = "apis";
const SHOWN = 50;
const AGAIN_MS = 5000;

/** What the negotiation works with. */
export interface NegotiatorOptions {
  hub: ApiClient;
  schemas: Schemas;
  imports: Informer<ImportObject>;
  negotiated: Informer<NegotiatedObject>;
  definitions: Informer<Definition>;
}

/** Reconciles NegotiatedAPIResources by their names. */
export class Negotiator {
  readonly #options: NegotiatorOptions;
  readonly #status: StatusWriter<unknown, NonNullable<NegotiatedObject["status"]>>;
  readonly #importStatus: StatusWriter<unknown, NonNullable<ImportObject["status"]>>;
  readonly #publisher: Publisher;

  constructor(options: NegotiatorOptions) {
    this.#options = options;
    this.#status = new StatusWriter(options.hub, NEGOTIATED, CONTROLLER);
    this.#importStatus = new StatusWriter(options.hub, IMPORTS, CONTROLLER);
    this.#publisher = new Publisher(options.hub, `fleetwright-${CONTROLLER}`);
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { imports, negotiated, schemas } = this.#options;
    const own = imports
      .byIndex("resource", name)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const live = negotiated.get(name);
    const [one] = own;
    if (live === undefined) {
      if (one !== undefined) await this.#create(name, one, signal);
      return undefined;
    }
    if (live.metadata.deletionTimestamp !== undefined) return undefined;
    const definition = this.#options.definitions.get(`${live.spec.resource}.${live.spec.group}`);
    const ours = definition !== undefined && isOurs(definition);
    if (one === undefined) {
      // What is served may have objects: a person ends that by publish.
      if (!live.spec.publish && !(ours && servesVersion(definition, live))) return this.#remove(live, signal);
      await this.#tellNobody(live, signal);
      return undefined;
    }
    const loaded: Imported[] = [];
    const unread: ImportObject[] = [];
    for (const object of own) {
      const schema = await this.#schemaOf(object, signal);
      if (schema === undefined) unread.push(object);
      else loaded.push({ object, schema });
    }

    const enforced = definition !== undefined && !ours ? schemaIn(definition, live.spec.version) : undefined;
    const pinned =
      live.spec.strategy === "Pinned" && live.spec.schemaHash !== undefined
        ? await schemas.get(live.spec.schemaHash, signal)
        : undefined;
    const given = enforced ?? pinned;
    const stored = ours ? await this.#publisher.stored(definition, live, signal) : [];
    const agreedBefore = (live.status?.clusters ?? []).flatMap((one) => (one.compatible ? [one.name] : []));
    const decided = withUnread(
      live.spec.strategy === "PerObject" && enforced === undefined
        ? perObject(loaded)
        : plan({ imports: loaded, ...(given === undefined ? {} : { given }), stored, agreedBefore }),
      unread,
    );

    const fitting = own.filter(({ spec }) =>
      decided.clusters.some((cluster) => cluster.compatible && cluster.name === spec.cluster),
    );
    const published = await this.#publisher.publish(live, decided, fitting, definition, signal);
    const hash = decided.schema === undefined ? undefined : await schemas.put(decided.schema, signal);
    await this.#tell(live, decided, published, enforced !== undefined, hash, own, signal);
    await this.#tellImports(own, decided, published, signal);
    if (published.again === true) {
      log.info("The kind is not served yet.", { name, reason: published.state.reason });
      return { requeueAfterMs: AGAIN_MS };
    }
    return undefined;
  }

  async #schemaOf({ spec }: ImportObject, signal: AbortSignal): Promise<Schema | undefined> {
    try {
      return await this.#options.schemas.get(spec.schemaHash, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  async #create(name: string, { spec }: ImportObject, signal: AbortSignal): Promise<void> {
    const { group, version, resource, source } = spec;
    // What the hub serves itself is not for a definition to narrow.
    const strategy = source === "OpenAPI" ? ("PerObject" as const) : ("Intersect" as const);
    const object = { metadata: { name }, spec: { group, version, resource, strategy, publish: false } };
    await this.#options.hub.create(NEGOTIATED, object, signal).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  async #remove(live: NegotiatedObject, signal: AbortSignal): Promise<undefined> {
    this.#status.forget(live.metadata.name);
    await deleteExactly(this.#options.hub, NEGOTIATED, live, signal);
    return undefined;
  }

  async #tell(
    live: NegotiatedObject,
    { clusters, explanations, schema }: Plan,
    published: Published,
    enforced: boolean,
    hash: string | undefined,
    own: readonly ImportObject[],
    signal: AbortSignal,
  ): Promise<void> {
    const places = explanations.filter(({ effect }) => effect !== "Note");
    const fit = clusters.filter(({ compatible }) => compatible);
    const out = clusters.filter(({ compatible }) => !compatible);
    const agreed: ConditionState =
      schema === undefined && live.spec.strategy !== "PerObject"
        ? conditionFalse("NothingFits", "Nothing fits the clusters that have the kind.")
        : out.length > 0
          ? conditionFalse(
              "ClustersLeftOut",
              `${out.length} of ${clusters.length} clusters fell out: ${out
                .slice(0, 5)
                .map(({ name, reason }) => `${name} (${reason})`)
                .join(", ")}.`,
            )
          : conditionTrue("AllFit", `All ${clusters.length} clusters fit.`);
    await this.#status.write(
      live,
      {
        Published: published.state,
        Enforced: enforced
          ? conditionTrue(
              "MadeByHand",
              "A definition that a person made holds, and clusters are compared with it.",
            )
          : conditionFalse("Negotiated", "What was negotiated holds."),
        Agreed: agreed,
      },
      {
        ...(hash === undefined ? {} : { schemaHash: hash }),
        ...(own[0] === undefined ? {} : { kind: own[0].spec.names.kind, scope: own[0].spec.scope }),
        clusters: clusters.map(({ name, compatible, reason }) => ({ name, compatible, reason })),
        compatible: fit.length,
        total: clusters.length,
        narrowed: places.length,
        differences: places.slice(0, SHOWN).map((one) => difference(one)),
      },
      signal,
    );
  }

  async #tellNobody(live: NegotiatedObject, signal: AbortSignal): Promise<void> {
    await this.#status.write(
      live,
      {
        Published: conditionTrue(
          "Kept",
          "No cluster has the kind any more; the hub serves it as long as publish is true or objects are stored.",
        ),
        Agreed: conditionFalse("NoCluster", "No cluster has the kind."),
      },
      {
        schemaHash: live.status?.schemaHash,
        kind: live.status?.kind,
        scope: live.status?.scope,
        clusters: [],
        compatible: 0,
        total: 0,
        narrowed: 0,
      },
      signal,
    );
  }

  async #tellImports(
    own: readonly ImportObject[],
    { clusters }: Plan,
    { served }: Published,
    signal: AbortSignal,
  ): Promise<void> {
    for (const object of own) {
      const verdict = clusters.find(({ name }) => name === object.spec.cluster);
      if (verdict === undefined) continue;
      const differences = differencesOf(verdict.name, verdict.explanations);
      const condition = verdict.compatible ? conditionTrue : conditionFalse;
      await this.#importStatus.write(
        object,
        {
          Compatible: condition(verdict.reason, verdict.message),
          Available: served
            ? conditionTrue("Served", "The hub serves the kind.")
            : conditionFalse("NotServed", "The hub does not serve the kind."),
        },
        { differences: differences.slice(0, SHOWN), differencesTotal: differences.length },
        signal,
      );
    }
  }
}
