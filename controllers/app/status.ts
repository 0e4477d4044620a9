import {
  Applier,
  isNotFound,
  keepManagedFieldsOf,
  setCondition,
  type ApiClient,
  type Condition,
  type KubernetesObject,
  type Resource,
} from "../runtime";
import type { CommonStatus, Custom } from "./custom-object";

/** A judgement about an object, before it has a time. */
export interface ConditionState {
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
}

/** Writes the status of one kind for one controller, and only when it differs from what is there. */
export class StatusWriter<Spec, Status extends CommonStatus> {
  readonly #applier: Applier;
  readonly #resource: Resource<Custom<Spec, Status>>;
  readonly #now: () => number;

  constructor(client: ApiClient, resource: Resource<Custom<Spec, Status>>, controller: string) {
    this.#applier = new Applier(client, `fleetwright-${controller}`);
    this.#resource = resource;
    this.#now = () => client.clock.now();
  }

  /**
   * Writes judgements by type, and the other fields. What was there and is not given any more goes. With `exact` it is a
   * conflict if the object is no longer the one that was evaluated. Gives the object as it is then; undefined if it is gone.
   */
  async write(
    live: Custom<Spec, Status>,
    judgements: Readonly<Record<string, ConditionState>>,
    others: Omit<Status, keyof CommonStatus>,
    signal: AbortSignal,
    { exact = false }: { exact?: boolean } = {},
  ): Promise<Custom<Spec, Status> | undefined> {
    const observedGeneration = live.metadata.generation ?? 0;
    const before: readonly Condition[] = (live.status?.conditions ?? []).map(asCondition);
    const conditions = Object.entries(judgements).map(([type, judgement]) => {
      const set = setCondition(before, { type, ...judgement, observedGeneration }, this.#now());
      return set.find((condition) => condition.type === type);
    });
    const { name, uid, resourceVersion } = live.metadata;
    const version = exact && resourceVersion !== undefined ? { resourceVersion } : {};
    const status = { ...defined(others), observedGeneration, conditions };
    const body: KubernetesObject & { status: object } = {
      metadata: { name, ...(uid === undefined ? {} : { uid }), ...version },
      status,
    };
    try {
      const { object } = await this.#applier.apply<KubernetesObject>(this.#resource, body, {
        live,
        subresource: "status",
        force: true,
        signal,
      });
      return object as Custom<Spec, Status>;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  /** To be called when an object is gone. */
  forget(name: string): void {
    this.#applier.forget(this.#resource, name);
  }
}

/** Keeps of an object's managed fields what {@link StatusWriter} needs to see that nothing differs. */
export function statusTransform(controller: string): <T extends KubernetesObject>(object: T) => T {
  return keepManagedFieldsOf(`fleetwright-${controller}`);
}

/** Whether an object changed in more than what its status says: it came, went, is going, or declares something else. */
export function hasDeclarationChanged(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): boolean {
  const marks = (object: KubernetesObject | undefined): string =>
    JSON.stringify([
      object?.metadata.uid,
      object?.metadata.generation,
      object?.metadata.deletionTimestamp,
      object?.metadata.annotations,
    ]);
  return marks(before) !== marks(after);
}

function asCondition({
  observedGeneration,
  ...rest
}: NonNullable<CommonStatus["conditions"]>[number]): Condition {
  return { ...rest, ...(observedGeneration === undefined ? {} : { observedGeneration }) };
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** All is well. */
export function conditionTrue(reason: string, message: string): ConditionState {
  return { status: "True", reason, message };
}

/** Something is wrong: what, where, the value found and the fix. */
export function conditionFalse(reason: string, message: string): ConditionState {
  return { status: "False", reason, message };
}
