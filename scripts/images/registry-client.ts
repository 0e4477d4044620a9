// Speaks to a registry: https://github.com/opencontainers/distribution-spec/blob/main/spec.md
import { errorMessage, ExitCode, Failure } from "../../lib/failure";
import { listAt, parseJson, textAt } from "../../lib/json";
import { type Descriptor, descriptorsIn, MediaType } from "./oci-layout";
import { isLoopback, type RegistryTarget } from "./registry-name";
import type { RegistryLogin } from "./registry-login";
import { bearerToken, parseChallenge } from "./registry-token";

/** How a blob came to be in a repository. */
export type BlobOutcome = "there" | "mounted" | "uploaded";

interface Request {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A registry as one account sees it. */
export class RegistryClient {
  readonly #authorizations = new Map<string, string>();

  constructor(
    readonly target: Pick<RegistryTarget, "host" | "origin">,
    readonly login: RegistryLogin | undefined,
  ) {
    const { protocol, hostname } = new URL(target.origin);
    if (login !== undefined && protocol === "http:" && !isLoopback(hostname))
      throw new Failure(
        `${target.host} would be asked without TLS, and there are credentials for it, which everybody on the way could read: leave --plain-http out, or the credentials.`,
      );
  }

  /** Makes sure that a blob is in a repository: looks, then asks to mount it from another one, then uploads it. */
  async ensureBlob(
    repository: string,
    blob: Pick<Descriptor, "digest">,
    read: () => Promise<Buffer>,
    from?: string,
  ): Promise<BlobOutcome> {
    const { digest } = blob;
    const seen = await this.#send(repository, `blobs/${digest}`, { method: "HEAD" });
    if (seen.status === 200) return "there";
    if (seen.status !== 404) throw await refused(`HEAD of a blob in ${this.#named(repository)}`, seen);
    const query = from === undefined ? "" : `?mount=${digest}&from=${encodeURIComponent(from)}`;
    const begun = await this.#send(repository, `blobs/uploads/${query}`, { method: "POST" }, from);
    if (begun.status === 201) return "mounted";
    if (begun.status !== 202) throw await refused(`an upload to ${this.#named(repository)}`, begun);
    const location = begun.headers.get("location");
    if (location === null)
      throw new Failure(`${this.target.host} began an upload to ${repository} without saying where to.`);
    const url = new URL(location, this.target.origin);
    url.searchParams.set("digest", digest);
    const ended = await this.#send(repository, url, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream" },
      body: await read(),
    });
    if (ended.status !== 201) throw await refused(`an upload to ${this.#named(repository)}`, ended);
    return "uploaded";
  }

  /** Whether a repository has a manifest under a digest. */
  async hasManifest(repository: string, { digest, mediaType }: Descriptor): Promise<boolean> {
    const headers = { accept: mediaType };
    const seen = await this.#send(repository, `manifests/${digest}`, { method: "HEAD", headers });
    if (seen.status === 200 || seen.status === 404) return seen.status === 200;
    throw await refused(`HEAD of a manifest in ${this.#named(repository)}`, seen);
  }

  /** Puts a manifest under a digest or tag. Says whether the registry keeps what refers to its subject by itself. */
  async putManifest(
    repository: string,
    reference: string,
    mediaType: string,
    body: Buffer,
  ): Promise<{ keepsReferrers: boolean }> {
    const put = await this.#send(repository, `manifests/${reference}`, {
      method: "PUT",
      headers: { "content-type": mediaType },
      body,
    });
    if (put.status !== 201) throw await refused(`${reference} in ${this.#named(repository)}`, put);
    return { keepsReferrers: put.headers.get("oci-subject") !== null };
  }

  /** The manifests of an index; empty where there is none. */
  async readIndex(repository: string, reference: string): Promise<Descriptor[]> {
    const headers = { accept: MediaType.index };
    const answer = await this.#send(repository, `manifests/${reference}`, { method: "GET", headers });
    if (answer.status === 404) return [];
    if (answer.status !== 200) throw await refused(`${reference} in ${this.#named(repository)}`, answer);
    return descriptorsIn(parseJson(await answer.text()), "manifests");
  }

  async #send(repository: string, what: string | URL, request: Request, from?: string): Promise<Response> {
    const url = typeof what === "string" ? new URL(`/v2/${repository}/${what}`, this.target.origin) : what;
    // An upload may go on at another host, whose address is all that it asks for.
    const isOwn = url.origin === new URL(this.target.origin).origin;
    const scopes = [
      `repository:${repository}:pull,push`,
      ...(from === undefined ? [] : [`repository:${from}:pull`]),
    ];
    const key = scopes.join(" ");
    const known = this.#authorizations.get(key);
    const first = await this.#fetch(url, request, isOwn ? known : undefined);
    const challenge = first.headers.get("www-authenticate");
    if (first.status !== 401 || challenge === null || !isOwn) return first;
    await first.body?.cancel();
    const authorization = await this.#authorize(challenge, scopes);
    this.#authorizations.set(key, authorization);
    return this.#fetch(url, request, authorization);
  }

  async #authorize(header: string, scopes: readonly string[]): Promise<string> {
    const { login, target } = this;
    const challenge = parseChallenge(header);
    if (challenge.scheme === "bearer") return `Bearer ${await bearerToken(target, challenge, scopes, login)}`;
    if (login === undefined || challenge.scheme !== "basic")
      throw new Failure(
        `${target.host} wants a login (${header}), and none is known: log in with your container engine, or set FLEETWRIGHT_REGISTRY_USERNAME and FLEETWRIGHT_REGISTRY_PASSWORD.`,
      );
    return `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  }

  async #fetch(
    url: URL,
    { method, headers = {}, body }: Request,
    authorization: string | undefined,
  ): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
        // A redirect would take the login along to wherever it leads.
        redirect: authorization === undefined ? "follow" : "manual",
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      throw new Failure(
        `${this.target.host} could not be reached at ${url.origin}: ${errorMessage(cause ?? error)}`,
        ExitCode.network,
        { cause: error },
      );
    }
  }

  #named(repository: string): string {
    return `${this.target.host}/${repository}`;
  }
}

async function refused(what: string, answer: Response): Promise<Failure> {
  const first = listAt(parseJson(await answer.text()), "errors")[0];
  const code = textAt(first, "code");
  const said = [code, textAt(first, "message")].filter((part) => part !== undefined).join(": ");
  const fix =
    code === "NAME_UNKNOWN"
      ? " This registry wants repositories made beforehand; in ECR: aws ecr create-repository --repository-name …"
      : answer.status === 401 || answer.status === 403
        ? " The login may not push there."
        : "";
  return new Failure(
    `The registry refused ${what}: ${answer.status}${said === "" ? "" : ` ${said}`}.${fix}`,
    ExitCode.network,
  );
}
