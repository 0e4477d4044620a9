import { Agent, request } from "node:https";
import type { CertifiedKey } from "./certificate";
import { parseJson, textAt } from "../../lib/json";

/** How to reach an HTTPS server of the control plane. */
export interface ApiAccess {
  endpoint: string;
  /** PEM of the authority that signed the server's certificate. */
  authority: string;
  /** Who asks; nobody where it is left out. */
  client?: CertifiedKey;
}

/** An answer of any status. */
export interface ApiResponse {
  status: number;
  body: string;
}

/** The API server refused. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly method: string,
    readonly path: string,
    readonly status: number,
    body: string,
  ) {
    super(
      `${method} ${path} was answered ${status}: ${textAt(parseJson(body), "message") ?? body.slice(0, 500)}`,
    );
  }
}

/** A few lines of HTTPS with keep-alive: all that a harness needs, and no client library whose faults it would share. */
export class ApiClient {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 16,
      ca: access.authority,
      ...(access.client === undefined ? {} : { cert: access.client.certificate, key: access.client.key }),
    });
  }

  /** Sends one request and gives the answer, whatever its status. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    contentType = "application/json",
  ): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.#access.endpoint), {
        method,
        agent: this.#agent,
        timeout: 10_000,
        headers: body === undefined ? {} : { "content-type": contentType },
      });
      outgoing.once("error", reject);
      outgoing.once("timeout", () =>
        outgoing.destroy(new Error(`${method} ${path} was not answered in 10 s.`)),
      );
      outgoing.once("response", (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => (text += chunk));
        incoming.once("error", reject);
        incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, body: text }));
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Reads an object or a list. */
  async get(path: string): Promise<unknown> {
    return this.#expect("GET", path);
  }

  /** Creates an object. */
  async create(path: string, object: unknown): Promise<unknown> {
    return this.#expect("POST", path, object);
  }

  /** Makes an object be as given, whether it existed or not. */
  async apply(path: string, object: unknown): Promise<unknown> {
    const query = "?fieldManager=fleetwright-sandbox&force=true";
    // JSON is YAML, and the server takes an apply in YAML only.
    return this.#expect("PATCH", `${path}${query}`, object, "application/apply-patch+yaml");
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #expect(method: string, path: string, body?: unknown, contentType?: string): Promise<unknown> {
    const answer = await this.send(method, path, body, contentType);
    if (answer.status < 200 || answer.status > 299)
      throw new ApiError(method, path, answer.status, answer.body);
    return parseJson(answer.body);
  }
}
