// Writes the status of Users on behalf of this node.
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
import { USERS, type UserObject, type UserStatus } from "../kinds";
import { keysInForce, nextExpiry } from "./authorized-keys";
import type { LoginResult, Refusal } from "./login";

/** The API server's limit for names of field managers. */
const MAX_MANAGER_LENGTH = 128;

/** What the reconciler knows of the accounts. */
export interface AccountState {
  results(): ReadonlyMap<string, LoginResult>;
  failureOf(login: string): Refusal | undefined;
}

/**
 * Writes the status of Users. Hundreds of agents share one User, so what all agents find alike (the condition, the number
 * of keys) they write with the same content under the same field manager, after a random delay, and only if no other
 * agent did; what concerns one node alone is an entry of its own, written only if something failed. When nothing
 * changes, nobody writes. See docs/decisions/0020.
 */
export class UserStatusWriter {
  readonly #shared: Applier;
  readonly #own: Applier;
  readonly #users: Informer<UserObject>;
  readonly #node: string;
  readonly #accounts: AccountState;

  constructor(client: ApiClient, users: Informer<UserObject>, node: string, accounts: AccountState) {
    this.#shared = new Applier(client, "fleetwright-agent");
    this.#own = new Applier(client, `fleetwright-agent-${node}`.slice(0, MAX_MANAGER_LENGTH));
    this.#users = users;
    this.#node = node;
    this.#accounts = accounts;
  }

  /** Writes the status of one User where it differs. */
  async reconcile(name: string, { signal, clock, log }: ReconcileContext): Promise<undefined> {
    const user = this.#users.get(name);
    const result = this.#accounts.results().get(name);
    if (user === undefined || result === undefined) return undefined;
    try {
      const failure = this.#ownFailure(user, result);
      if (failure !== "current") await this.#apply(this.#own, user, failure, signal);
      const shared = this.#sharedStatus(user, result, clock.now());
      if (shared !== "current") await this.#apply(this.#shared, user, shared, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // The list of failures is full: enough nodes have reported. This one has written its log and its event.
      if (!(error instanceof ApiError) || error.code !== 422) throw error;
      log.warn("The server rejected the status of a User.", {
        user: name,
        cause: errorMessage(error),
      });
    }
    return undefined;
  }

  /** The Users whose status is not up to date. */
  stale(now: number): string[] {
    return [...this.#accounts.results().keys()].filter((name) => !this.isCurrent(name, now));
  }

  /** Whether a User's status is up to date. */
  isCurrent(name: string, now: number): boolean {
    const user = this.#users.get(name);
    const result = this.#accounts.results().get(name);
    if (user === undefined || result === undefined) return true;
    return (
      this.#ownFailure(user, result) === "current" && this.#sharedStatus(user, result, now) === "current"
    );
  }

  #ownFailure(user: UserObject, { login }: LoginResult): "current" | Pick<UserStatus, "failures"> {
    const had = user.status?.failures?.find(({ node }) => node === this.#node);
    const failure = login === undefined ? undefined : this.#accounts.failureOf(login.name);
    const message = failure?.message.slice(0, 1024) ?? "";
    if (failure?.reason === had?.reason && (failure === undefined || message === had?.message))
      return "current";
    return failure === undefined ? {} : { failures: [{ node: this.#node, reason: failure.reason, message }] };
  }

  #sharedStatus(user: UserObject, result: LoginResult, now: number): "current" | UserStatus {
    const wanted = userStatus(user, result, now);
    const live: UserStatus = user.status ?? {};
    const before = live.conditions?.find(({ type }) => type === "Ready");
    const [after] = wanted.conditions ?? [];
    const current =
      live.observedGeneration === wanted.observedGeneration &&
      live.keys === wanted.keys &&
      live.nextExpiry === wanted.nextExpiry &&
      before?.status === after?.status &&
      before?.reason === after?.reason &&
      before?.message === after?.message;
    return current ? "current" : wanted;
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

/** The status that every agent computes alike. */
export function userStatus(user: UserObject, { login, refusal }: LoginResult, now: number): UserStatus {
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
            message: `The account could not be set up on ${failures
              .slice(0, 3)
              .map(({ node, reason }) => `${node} (${reason})`)
              .join(
                ", ",
              )}${failures.length > 3 ? ` and ${failures.length - 3} more` : ""}: see status.failures.`,
          }
        : {
            status: "True" as const,
            reason: "Accepted",
            message: `No node reports a failure; the account has ${keys} valid ${keys === 1 ? "key" : "keys"}.`,
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
