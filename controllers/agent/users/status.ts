import {
  ApiError,
  Applier,
  errorMessage,
  isNotFound,
  setCondition,
  type ApiClient,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
} from "../../runtime";
import { USERS } from "../kinds";
import { keysInForce, nextExpiry } from "./authorized-keys";
import type { Judged, Refusal, UserObject, UserStatus } from "./login";

/** The server takes no longer names of managers. */
const LONGEST_MANAGER = 128;

/**
 * Tells on Users what is wrong. Hundreds of agents look at one User, so: what every agent finds alike (the condition, the
 * number of keys) all write in one name and with one content, after a random while, and only if nobody did so before;
 * what one node alone knows it writes to its own entry, and only if it is trouble. At rest and when all is well nobody
 * writes anything. See docs/decisions/0020.
 */
export class UserStatusWriter {
  readonly #shared: Applier;
  readonly #own: Applier;
  readonly #users: Informer<UserObject>;
  readonly #node: string;
  readonly #judged: () => ReadonlyMap<string, Judged>;
  readonly #failureOf: (login: string) => Refusal | undefined;

  constructor(
    client: ApiClient,
    users: Informer<UserObject>,
    node: string,
    judged: () => ReadonlyMap<string, Judged>,
    failureOf: (login: string) => Refusal | undefined,
  ) {
    this.#shared = new Applier(client, "fleetwright-agent");
    this.#own = new Applier(client, `fleetwright-agent-${node}`.slice(0, LONGEST_MANAGER));
    this.#users = users;
    this.#node = node;
    this.#judged = judged;
    this.#failureOf = failureOf;
  }

  /** Writes what differs on one User. */
  async reconcile(name: string, { signal, clock, log }: ReconcileContext): Promise<undefined> {
    const user = this.#users.get(name);
    const judged = this.#judged().get(name);
    if (user === undefined || judged === undefined) return undefined;
    try {
      const failure = this.#ownFailure(user, judged);
      if (failure !== "told") await this.#apply(this.#own, user, failure, signal);
      const shared = this.#sharedStatus(user, judged, clock.now());
      if (shared !== "told") await this.#apply(this.#shared, user, shared, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // The list of failures is full: enough nodes have told. The log and the event of this one are there.
      if (!(error instanceof ApiError) || error.code !== 422) throw error;
      log.warn("The status of a User was not taken by the server.", {
        user: name,
        cause: errorMessage(error),
      });
    }
    return undefined;
  }

  /** The Users whose status does not say what it should. */
  untold(now: number): string[] {
    return [...this.#judged().keys()].filter((name) => !this.isTold(name, now));
  }

  /** Whether a User's status says what it should. */
  isTold(name: string, now: number): boolean {
    const user = this.#users.get(name);
    const judged = this.#judged().get(name);
    if (user === undefined || judged === undefined) return true;
    return this.#ownFailure(user, judged) === "told" && this.#sharedStatus(user, judged, now) === "told";
  }

  #ownFailure(user: UserObject, { login }: Judged): "told" | Pick<UserStatus, "failures"> {
    const had = user.status?.failures?.find(({ node }) => node === this.#node);
    const failure = login === undefined ? undefined : this.#failureOf(login.name);
    const message = failure?.message.slice(0, 1024) ?? "";
    if (failure?.reason === had?.reason && (failure === undefined || message === had?.message)) return "told";
    return failure === undefined ? {} : { failures: [{ node: this.#node, reason: failure.reason, message }] };
  }

  #sharedStatus(user: UserObject, judged: Judged, now: number): "told" | UserStatus {
    const wanted = userStatus(user, judged, now);
    const live: UserStatus = user.status ?? {};
    const before = live.conditions?.find(({ type }) => type === "Ready");
    const [after] = wanted.conditions ?? [];
    const told =
      live.observedGeneration === wanted.observedGeneration &&
      live.keys === wanted.keys &&
      live.nextExpiry === wanted.nextExpiry &&
      before?.status === after?.status &&
      before?.reason === after?.reason &&
      before?.message === after?.message;
    return told ? "told" : wanted;
  }

  async #apply(
    applier: Applier,
    { metadata }: UserObject,
    status: object,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, uid } = metadata;
    const body: KubernetesObject & { status: object } = {
      metadata: { name, ...(uid === undefined ? {} : { uid }) },
      status,
    };
    await applier.apply<KubernetesObject>(USERS, body, { subresource: "status", force: true, signal });
  }
}

/** What every agent says of a User alike. */
export function userStatus(user: UserObject, { login, refusal }: Judged, now: number): UserStatus {
  const observedGeneration = user.metadata.generation ?? 0;
  const failures = user.status?.failures ?? [];
  const keys = login === undefined ? 0 : keysInForce(login, now).length;
  const next = login === undefined ? undefined : nextExpiry(login, now);
  const ready =
    refusal !== undefined
      ? { status: "False" as const, ...refusal }
      : failures.length > 0
        ? {
            status: "False" as const,
            reason: "FailedOnNodes",
            message: `The account is not in place on ${failures
              .slice(0, 3)
              .map(({ node, reason }) => `${node} (${reason})`)
              .join(
                ", ",
              )}${failures.length > 3 ? ` and ${failures.length - 3} more` : ""}: see status.failures.`,
          }
        : {
            status: "True" as const,
            reason: "Accepted",
            message: `No node has refused the account; ${keys} ${keys === 1 ? "key opens" : "keys open"} it.`,
          };
  const [condition] = setCondition(
    (user.status?.conditions ?? []).filter(({ type }) => type === "Ready"),
    { type: "Ready", ...ready, observedGeneration },
    now,
  );
  return {
    observedGeneration,
    keys,
    ...(next === undefined ? {} : { nextExpiry: new Date(next).toISOString() }),
    conditions: condition === undefined ? [] : [condition],
  };
}
