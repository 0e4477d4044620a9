// Reconciles Users into the service accounts with which they ask the API server.
import { accountName, GROUP, USERS_NAMESPACE } from "../../../api";
import { Finalizer, type Informer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { USERS, type UserObject } from "../kinds";
import { SERVICE_ACCOUNTS, type ServiceAccount } from "../native-resources";
import { deleteOwn, isOwn, keepOwn } from "../../app/ownership";
import { accountFor, accountsOf, CONTROLLER, GRANTS } from "./plan";

/**
 * Keeps the account of one User. Many Users that go at once are not held back, as other kinds are: a person who was let
 * go must be out, and an account that went by mistake comes again with its User, and its person asks for a new grant.
 */
export class UserReconciler {
  readonly #context: ControllerContext;
  readonly #users: Informer<UserObject>;
  readonly #accounts: Informer<ServiceAccount>;
  readonly #finalizer: Finalizer<UserObject>;

  constructor(context: ControllerContext, users: Informer<UserObject>, accounts: Informer<ServiceAccount>) {
    this.#context = context;
    this.#users = users;
    this.#accounts = accounts;
    accounts.addIndex("account", accountsOf);
    this.#finalizer = new Finalizer(context.client, USERS, `${GROUP}/${CONTROLLER}`, [
      // First what renews: a User of the same name would have an account of the same name.
      { name: "grants", run: async ({ metadata }, signal) => this.#endGrants(metadata.name, signal) },
      { name: "account", run: async ({ metadata }, signal) => this.#deleteAccount(metadata.name, signal) },
    ]);
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const user = this.#users.get(name);
    if (user === undefined) return undefined;
    if (user.metadata.deletionTimestamp !== undefined) {
      const end = await this.#finalizer.finalize(user, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(user, signal);
    const object = accountFor(user);
    const live = this.#accounts.get(`${USERS_NAMESPACE}/${object.metadata.name}`);
    const kept = await keepOwn(
      this.#context.client,
      { resource: SERVICE_ACCOUNTS, object, live, controller: CONTROLLER },
      signal,
    );
    if (kept === "foreign") {
      const note = `The ServiceAccount ${USERS_NAMESPACE}/${object.metadata.name} is not managed by Fleetwright and is left alone, so this User has no access to the cluster by token: delete it.`;
      log.warn(note);
      this.#context.recorder.record(USERS, user, {
        type: "Warning",
        reason: "ForeignServiceAccount",
        action: "Keeping",
        note,
      });
    }
    return undefined;
  }

  async #endGrants(user: string, signal: AbortSignal): Promise<"done"> {
    for (const grant of this.#accounts.byIndex("account", accountName(user)))
      if (isOwn(grant, GRANTS))
        await deleteOwn(this.#context.client, SERVICE_ACCOUNTS, grant, GRANTS, signal);
    return "done";
  }

  async #deleteAccount(user: string, signal: AbortSignal): Promise<"done"> {
    const live = this.#accounts.get(`${USERS_NAMESPACE}/${accountName(user)}`);
    if (live !== undefined && isOwn(live, CONTROLLER))
      await deleteOwn(this.#context.client, SERVICE_ACCOUNTS, live, CONTROLLER, signal);
    return "done";
  }
}
