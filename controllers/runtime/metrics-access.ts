// Asks the API server who may read metrics: TokenReview for who it is, SubjectAccessReview for whether they may.
import { createHash } from "node:crypto";
import type { ApiClient } from "./api-client";

/** What to answer to a request for metrics. */
export type Access = "allowed" | "unauthenticated" | "forbidden" | "unknown";

/** How access is decided. */
export interface MetricsAccessOptions {
  /** The audience of tokens that are for metrics alone. Tokens for the API server itself are taken, too. */
  audience: string;
}

interface Known {
  access: Access;
  until: number;
}

interface Review {
  status?: { authenticated?: boolean; user?: { username?: string; groups?: string[]; uid?: string } };
}

const ALLOWED_MS = 60_000;
const REFUSED_MS = 10_000;
const MAX_KNOWN = 100;
/** Requests that wait for an answer of the API server; more are turned away. */
const MAX_ASKING = 10;

/**
 * Lets those read metrics who have `get` on the path `/metrics` in RBAC. Answers are kept for a while, and who asks with ever
 * new tokens costs the API server little, by a limit of its own.
 */
export class MetricsAccess {
  readonly #client: ApiClient;
  readonly #audience: string;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<Access>>();

  constructor(client: ApiClient, { audience }: MetricsAccessOptions) {
    this.#client = client.limitedBy({ perSecond: 2, burst: 10 });
    this.#audience = audience;
  }

  /** Whether the sender of an `Authorization` header may read metrics. */
  async of(authorization: string | undefined): Promise<Access> {
    const token = /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return "unauthenticated";
    const key = createHash("sha256").update(token).digest("base64");
    const known = this.#known.get(key);
    if (known !== undefined && known.until > this.#client.clock.monotonic()) return known.access;
    const asking = this.#asking.get(key);
    if (asking !== undefined) return asking;
    if (this.#asking.size >= MAX_ASKING) return "unknown";
    const answer = this.#ask(token)
      .then((access) => this.#remember(key, access))
      // Nobody is let in on a guess, and the answer is not kept.
      .catch((): Access => "unknown")
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, answer);
    return answer;
  }

  #remember(key: string, access: Access): Access {
    const keepMs = access === "allowed" ? ALLOWED_MS : REFUSED_MS;
    this.#known.delete(key);
    this.#known.set(key, { access, until: this.#client.clock.monotonic() + keepMs });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
    return access;
  }

  async #ask(token: string): Promise<Access> {
    const user = (await this.#review(token, [this.#audience])) ?? (await this.#review(token, undefined));
    if (user === undefined) return "unauthenticated";
    const { username, groups, uid } = user;
    const { status } = await this.#client.request<{ status?: { allowed?: boolean } }>({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: username, groups, uid, nonResourceAttributes: { path: "/metrics", verb: "get" } },
      },
    });
    return status?.allowed === true ? "allowed" : "forbidden";
  }

  async #review(
    token: string,
    audiences: string[] | undefined,
  ): Promise<NonNullable<Review["status"]>["user"] | undefined> {
    const { status } = await this.#client.request<Review>({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token, ...(audiences === undefined ? {} : { audiences }) },
      },
    });
    return status?.authenticated === true ? status.user : undefined;
  }
}
