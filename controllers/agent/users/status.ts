// Writes what this node alone knows of a User: its own entry in the status.
import {
  ApiError,
  Applier,
  errorMessage,
  isNotFound,
  ObjectBudget,
  type ApiClient,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { USERS, type UserObject, type UserStatus } from "../kinds";
import type { LoginResult, Refusal } from "../../../api/login";

/** The API server's limit for names of field managers. */
const MAX_MANAGER_LENGTH = 128;

/** A login can make trouble come and go, as by filling its quota; every node and the server hear of it no more often. */
const WRITES_PER_USER = { burst: 10, refillMs: 60_000 };

/** What the reconciler knows of the accounts. */
export interface AccountState {
  results(): ReadonlyMap<string, LoginResult>;
  failureOf(login: string): Refusal | undefined;
}

/**
 * Writes this node's entry in the status of Users, and only if something failed here. Hundreds of agents share one User,
 * each with a clock of its own: what holds on all nodes alike is the coordinator's to write. See docs/decisions/0020.
 */
export class UserStatusWriter {
  readonly #applier: Applier;
  readonly #users: Informer<UserObject>;
  readonly #node: string;
  readonly #accounts: AccountState;
  readonly #budget: ObjectBudget;

  constructor(client: ApiClient, users: Informer<UserObject>, node: string, accounts: AccountState) {
    this.#applier = new Applier(client, `fleetwright-agent-${node}`.slice(0, MAX_MANAGER_LENGTH));
    this.#users = users;
    this.#node = node;
    this.#accounts = accounts;
    this.#budget = new ObjectBudget(WRITES_PER_USER, client.clock);
  }

  /** Writes this node's entry on one User where it differs. */
  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const user = this.#users.get(name);
    const result = this.#accounts.results().get(name);
    if (user === undefined || result === undefined) return undefined;
    const failure = this.#failure(user, result);
    if (failure === "current") return undefined;
    if (!this.#budget.take(name)) return { requeueAfterMs: this.#budget.waitMs(name) };
    try {
      await this.#apply(user, failure, signal);
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

  /** The Users on which this node's entry is not up to date. */
  stale(): string[] {
    return [...this.#accounts.results().keys()].filter((name) => !this.isCurrent(name));
  }

  /** Whether this node's entry on a User is up to date. */
  isCurrent(name: string): boolean {
    const user = this.#users.get(name);
    const result = this.#accounts.results().get(name);
    return user === undefined || result === undefined || this.#failure(user, result) === "current";
  }

  #failure(user: UserObject, { login }: LoginResult): "current" | Pick<UserStatus, "failures"> {
    const had = user.status?.failures?.find(({ node }) => node === this.#node);
    const failure = login === undefined ? undefined : this.#accounts.failureOf(login.name);
    const message = failure?.message.slice(0, 1024) ?? "";
    if (failure?.reason === had?.reason && (failure === undefined || message === had?.message))
      return "current";
    return failure === undefined ? {} : { failures: [{ node: this.#node, reason: failure.reason, message }] };
  }

  async #apply({ metadata: { name, uid } }: UserObject, status: object, signal: AbortSignal): Promise<void> {
    const body: KubernetesObject & { status: object } = {
      metadata: { name, ...(uid === undefined ? {} : { uid }) },
      status,
    };
    await this.#applier.apply<KubernetesObject>(USERS, body, { subresource: "status", force: true, signal });
  }
}
