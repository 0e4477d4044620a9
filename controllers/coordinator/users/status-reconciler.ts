// Writes the shared part of a User's status.
import { resolveLogins, type LoginResult } from "../../../api/login";
import { USERS, type UserObject } from "../../app/user";
import {
  Applier,
  isNotFound,
  type ApiClient,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { isCurrent, sharedStatus } from "./status-plan";

/** Deadlines of keys are times of the wall clock, which may be set: it is read again at least this often. */
const MAX_WAIT_MS = 60_000;

/** Keeps the shared part of the status of Users, by one clock: that of the coordinator that leads. */
export class UserStatusReconciler {
  readonly #client: ApiClient;
  readonly #applier: Applier;
  readonly #users: Informer<UserObject>;
  #results: ReadonlyMap<string, LoginResult> | undefined;

  constructor(client: ApiClient, fieldManager: string, users: Informer<UserObject>) {
    this.#client = client;
    this.#applier = new Applier(client, fieldManager);
    this.#users = users;
  }

  /** To be called when a User changed. */
  userChanged(): void {
    this.#results = undefined;
  }

  async reconcile(name: string, { signal, clock }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const user = this.#users.get(name);
    const result = (this.#results ??= resolveLogins(this.#users.list())).get(name);
    if (user === undefined || result === undefined) return undefined;
    const status = sharedStatus(user, result, clock.now());
    try {
      if (!isCurrent(user, status)) await this.#write(user, status, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    const expires = result.login?.keys.some(({ notAfter }) => notAfter !== undefined) ?? false;
    if (!expires) return undefined;
    const next = status.nextExpiry === undefined ? Infinity : Date.parse(status.nextExpiry);
    return { requeueAfterMs: Math.min(Math.max(next - clock.now(), 0), MAX_WAIT_MS) };
  }

  async #write({ metadata: { name, uid } }: UserObject, status: object, signal: AbortSignal): Promise<void> {
    const body: KubernetesObject & { status: object } = {
      metadata: { name, ...(uid === undefined ? {} : { uid }) },
      status,
    };
    const options = { subresource: "status", signal };
    const { object } = await this.#applier.apply<UserObject>(USERS, body, { ...options, force: true });
    // Agents of earlier releases wrote it too. What they still own does not go by leaving it out.
    if (!("nextExpiry" in status) && object.status?.nextExpiry !== undefined)
      await this.#client.patch(USERS, { name }, { metadata: { uid }, status: { nextExpiry: null } }, options);
  }
}
