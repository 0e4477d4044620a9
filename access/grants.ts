// Makes, lists and revokes grants in a cluster, with the rights of the administrator who asks.
import { accountName, PEOPLE_POLICY, REVOKED_LABEL, USER_ANNOTATION, USERS_NAMESPACE } from "../api";
import {
  isNotFound,
  resourcePath,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../controllers/runtime";
import { waitFor } from "../lib/deadline";
import { Failure } from "../lib/failure";
import {
  EXPIRES,
  grantFrom,
  grantSecret,
  grantsOf,
  GRANT_SELECTOR,
  newGrantName,
  renewal,
  tokenRequest,
  type Grant,
} from "./grant";
import {
  ACCOUNTS,
  CLUSTER_ROLE_BINDINGS,
  POLICY_BINDINGS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  USERS,
  type Account,
  type Binding,
  type GrantSecret,
} from "./resources";

/** The API server remembers for ten seconds that a token was good; then it looks again whether it still is. */
const REMEMBERED_MS = 12_000;

/** A grant, and the token with which it is renewed. */
export interface NewGrant {
  grant: Grant;
  account: string;
  token: string;
}

/** The grants of a cluster. */
export class Grants {
  readonly #client: ApiClient;
  readonly #signal: AbortSignal;

  constructor(client: ApiClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** All grants, or those of one person, the oldest first. */
  async list(user?: string): Promise<Grant[]> {
    const secrets = await this.#all(
      SECRETS,
      user === undefined ? GRANT_SELECTOR : grantsOf(accountName(user)),
    );
    return secrets.map(grantFrom).sort((a, b) => (a.since < b.since ? -1 : 1));
  }

  /** Gives a person access for a while. If it fails half way, what was made of it is taken back. */
  async make(user: string, seconds: number): Promise<NewGrant> {
    await this.#mustBeGuarded();
    const account = await this.#openAccount(user);
    await this.#removeExpired(user);
    const expires = new Date(Date.now() + seconds * 1000);
    const secret = await this.#client.create(
      SECRETS,
      grantSecret(newGrantName(), user, account, expires),
      this.#signal,
    );
    try {
      const parts = renewal(secret);
      await this.#client.create(ACCOUNTS, parts.account, this.#signal);
      await this.#client.create(ROLES, parts.role, this.#signal);
      await this.#client.create(ROLE_BINDINGS, parts.binding, this.#signal);
      const { token, expirationTimestamp } = await this.#tokenOf(secret, seconds);
      const end = new Date(expirationTimestamp).toISOString();
      // Some API servers give no token for so long: EKS ends them after a day.
      const annotations = { [EXPIRES]: end };
      const kept = await this.#client.patch(
        SECRETS,
        secret.metadata,
        { metadata: { annotations } },
        { signal: this.#signal },
      );
      return { grant: grantFrom(kept), account: account.metadata.name, token };
    } catch (error) {
      await this.#client.delete(SECRETS, secret.metadata).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Ends all that a person was granted, and gives the grants that there were. The Secrets end the tokens; the label takes
   * the rights away before, since the API server remembers a token that it has just seen for some seconds.
   */
  async revoke(user: string): Promise<Grant[]> {
    const name = accountName(user);
    const account = await this.#find(ACCOUNTS, name);
    if (account !== undefined) {
      const labels = { [REVOKED_LABEL]: String(Math.floor(Date.now() / 1000)) };
      await this.#client.patch(
        ACCOUNTS,
        account.metadata,
        { metadata: { labels } },
        { signal: this.#signal },
      );
    }
    const ended = await this.list(user);
    for (const resource of [SECRETS, ACCOUNTS, ROLE_BINDINGS, ROLES] as const)
      await this.#client.request({
        method: "DELETE",
        path: resourcePath(resource, { namespace: USERS_NAMESPACE }),
        query: { labelSelector: grantsOf(name) },
        signal: this.#signal,
      });
    return ended;
  }

  /** Whether the person's account has lost its rights, which the coordinator takes away; waits for it a little. */
  async hasLostRights(user: string, timeoutMs = 10_000): Promise<boolean> {
    const name = accountName(user);
    const isNamed = ({ subjects = [] }: Binding): boolean =>
      subjects.some(
        (subject) =>
          subject.kind === "ServiceAccount" && subject.namespace === USERS_NAMESPACE && subject.name === name,
      );
    const selector = "app.kubernetes.io/managed-by=fleetwright";
    try {
      await waitFor(
        `the rights of ${name} to go`,
        async () => {
          const bindings = [
            ...(await this.#all(CLUSTER_ROLE_BINDINGS, selector)),
            ...(await this.#all(ROLE_BINDINGS, selector, { everywhere: true })),
          ];
          return !bindings.some(isNamed);
        },
        { timeoutMs, intervalMs: 200, signal: this.#signal },
      );
      return true;
    } catch {
      this.#signal.throwIfAborted();
      return false;
    }
  }

  /** Without the policy the account of a grant could get tokens that outlive it. */
  async #mustBeGuarded(): Promise<void> {
    const binding = await this.#find(POLICY_BINDINGS, PEOPLE_POLICY);
    if (binding === undefined)
      throw new Failure(
        `This cluster lacks the admission policy ${PEOPLE_POLICY}, without which revoked access could go on: run \`pulumi up\` of its stack, and check that this is the right cluster.`,
      );
  }

  /** The account of a person who may come in. After a revocation it is a new one, so that no token of the old one is good. */
  async #openAccount(user: string): Promise<Account> {
    const found = await this.#find(USERS, user);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined)
      throw new Failure(
        `There is no User ${JSON.stringify(user)} in this cluster: add it to fleetwright:users, or name one of \`kubectl get users.fleetwright.dev\`.`,
      );
    const account = await this.#accountOf(user);
    const revoked = account.metadata.labels?.[REVOKED_LABEL];
    if (revoked === undefined) return account;
    const since = Date.now() - Number(revoked) * 1000;
    const left = since >= 0 && since < REMEMBERED_MS ? REMEMBERED_MS - since : 0;
    const from = performance.now();
    await waitFor("the API server to forget what was revoked", () => performance.now() - from >= left, {
      timeoutMs: REMEMBERED_MS * 2,
      signal: this.#signal,
    });
    await this.#client.delete(ACCOUNTS, account.metadata, { uid: account.metadata.uid }, this.#signal);
    return this.#accountOf(user, account.metadata.uid);
  }

  /** The person's account, other than the one before; the coordinator makes it. */
  async #accountOf(user: string, before?: string): Promise<Account> {
    const name = accountName(user);
    let found: Account | undefined;
    const look = async (): Promise<boolean> => {
      found = await this.#find(ACCOUNTS, name);
      const { uid, annotations = {} } = found?.metadata ?? {};
      return uid !== undefined && uid !== before && annotations[USER_ANNOTATION] === user;
    };
    await waitFor(`the account ${name}`, look, { timeoutMs: 10_000, signal: this.#signal }).catch(
      () => undefined,
    );
    this.#signal.throwIfAborted();
    if (found === undefined || !(await look()))
      throw new Failure(
        `The ServiceAccount ${USERS_NAMESPACE}/${name} of User ${JSON.stringify(user)} ${found === undefined ? "is not there" : "is not of this User"}: the coordinator makes it, so see \`kubectl -n fleetwright-system logs deployment/fleetwright-coordinator\`.`,
      );
    return found;
  }

  async #removeExpired(user: string): Promise<void> {
    for (const { name, expires } of await this.list(user))
      if (Date.parse(expires) < Date.now())
        await this.#client.delete(SECRETS, { namespace: USERS_NAMESPACE, name }, {}, this.#signal);
  }

  async #tokenOf(
    secret: GrantSecret,
    seconds: number,
  ): Promise<{ token: string; expirationTimestamp: string }> {
    const { status } = await this.#client.request<{ status: { token: string; expirationTimestamp: string } }>(
      {
        method: "POST",
        path: resourcePath(ACCOUNTS, secret.metadata, "token"),
        body: tokenRequest(secret, seconds),
        signal: this.#signal,
      },
    );
    return status;
  }

  async #find<T extends KubernetesObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    try {
      return await this.#client.get(resource, { name, namespace: USERS_NAMESPACE }, this.#signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #all<T extends KubernetesObject>(
    resource: Resource<T>,
    labelSelector: string,
    { everywhere = false }: { everywhere?: boolean } = {},
  ): Promise<T[]> {
    const path = resourcePath(resource, everywhere ? {} : { namespace: USERS_NAMESPACE });
    return (
      await this.#client.request<{ items: T[] }>({
        method: "GET",
        path,
        query: { labelSelector },
        signal: this.#signal,
      })
    ).items;
  }
}
