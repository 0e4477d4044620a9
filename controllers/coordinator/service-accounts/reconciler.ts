import { isNotFound, type Informer, type ReconcileContext } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { NAMESPACES, SERVICE_ACCOUNTS, type Namespace, type ServiceAccount } from "../native-resources";
import { deleteOwn, isOwn, keepOwn } from "../../app/ownership";
import { CONTROLLER, SERVICE_ACCOUNT, SERVICE_ACCOUNT_LABEL, serviceAccountIn, wantedIn } from "./plan";

/** Keeps the service account of one namespace. */
export class ServiceAccountReconciler {
  readonly #context: ControllerContext;
  readonly #namespaces: Informer<Namespace>;
  readonly #accounts: Informer<ServiceAccount>;

  constructor(
    context: ControllerContext,
    namespaces: Informer<Namespace>,
    accounts: Informer<ServiceAccount>,
  ) {
    this.#context = context;
    this.#namespaces = namespaces;
    this.#accounts = accounts;
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<undefined> {
    const { client, recorder, namespace: home } = this.#context;
    const namespace = this.#namespaces.get(name);
    const wanted = wantedIn(namespace);
    const live = this.#accounts.get(`${name}/${SERVICE_ACCOUNT}`);
    if (namespace === undefined || wanted === "whatever") return undefined;
    if (wanted === "none") {
      if (live !== undefined && isOwn(live, CONTROLLER) && (await this.#isUnwanted(namespace, signal)))
        await deleteOwn(client, SERVICE_ACCOUNTS, live, CONTROLLER, signal);
      return undefined;
    }
    const object = serviceAccountIn(name, this.#namespaces.get(home));
    const kept = await keepOwn(
      client,
      { resource: SERVICE_ACCOUNTS, object, live, controller: CONTROLLER },
      signal,
    );
    if (kept === "foreign") {
      const note = `The ServiceAccount ${name}/${SERVICE_ACCOUNT} is not managed by Fleetwright and is left alone: delete it, label it as Fleetwright's, or label the namespace ${SERVICE_ACCOUNT_LABEL}=disabled.`;
      log.warn(note);
      recorder.record(NAMESPACES, namespace, {
        type: "Warning",
        reason: "ForeignServiceAccount",
        action: "Keeping",
        note,
      });
    }
    return undefined;
  }

  /**
   * Asks the API server before an account is deleted: the cache of a new leader may be behind, and with an account its tokens end.
   * If the server says otherwise, the cache will show it too, and the namespace has its turn again.
   */
  async #isUnwanted({ metadata: { name, uid } }: Namespace, signal: AbortSignal): Promise<boolean> {
    try {
      const namespace = await this.#context.client.get(NAMESPACES, { name }, signal);
      return namespace.metadata.uid === uid && wantedIn(namespace) === "none";
    } catch (error) {
      // Gone with all that is in it.
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}
