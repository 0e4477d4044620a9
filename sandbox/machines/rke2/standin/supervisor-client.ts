import { request } from "node:https";
import type { CertifiedKey } from "../../../controlplane/certificate";
import { Failure } from "../../../../lib/failure";
import { log } from "./log";
import { checkAuthority, type Token } from "./token";

const TIMEOUT_MS = 10_000;

/** An answer of the supervisor that is not a success. */
export class SupervisorRefusal extends Failure {
  constructor(
    url: string,
    readonly status: number,
    body: string,
  ) {
    super(`${url}: ${status} ${STATUS[status] ?? ""}${body === "" ? "" : `: ${body.trim()}`}`);
  }
}

const STATUS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  503: "Service Unavailable",
};

/** A server of the cluster that this node joins, whose authority has been checked against the token. */
export class SupervisorClient {
  private constructor(
    readonly url: string,
    readonly authority: string,
    readonly token: Token,
    readonly user: "server" | "node",
  ) {}

  /** Learns the cluster's authority from a server and checks it against the token's hash. */
  static async connect(url: string, token: Token, user: "server" | "node"): Promise<SupervisorClient> {
    const caUrl = new URL("/cacerts", url).href;
    const { body: authority } = await get(caUrl, { rejectUnauthorized: false }).catch((error: unknown) => {
      throw new Failure(`failed to get CA certs: ${messageOf(error, caUrl)}`, 1, { cause: error });
    });
    checkAuthority(token, authority);
    if (token.caHash === undefined) {
      log(
        "warning",
        "Cluster CA certificate is not trusted by the host CA bundle, but the token does not include a CA hash. Use the full token from the server's node-token file to enable Cluster CA validation.",
      );
    }
    await get(caUrl, { ca: authority }).catch((error: unknown) => {
      throw new Failure(`CA cert validation failed: ${messageOf(error, caUrl)}`, 1, { cause: error });
    });
    return new SupervisorClient(url, authority, token, user);
  }

  /** Asks with the token. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const url = new URL(path, this.url).href;
    const credentials = `${this.token.user ?? this.user}:${this.token.password}`;
    const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    const { status, body } = await get(url, { ca: this.authority, headers: { authorization, ...headers } });
    if (status !== 200) throw new SupervisorRefusal(url, status, body);
    return body;
  }
}

/** Asks a server with a certificate of this node. */
export async function getAsNode(url: string, authority: string, client: CertifiedKey): Promise<string> {
  const { status, body } = await get(url, { ca: authority, cert: client.certificate, key: client.key });
  if (status !== 200) throw new SupervisorRefusal(url, status, body);
  return body;
}

interface GetOptions {
  ca?: string;
  cert?: string;
  key?: string;
  rejectUnauthorized?: boolean;
  headers?: Readonly<Record<string, string>>;
}

function get(url: string, options: GetOptions): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { headers = {}, ...tls } = options;
    // A connection of its own each time: the answer may come from another server behind a load balancer.
    const outgoing = request(url, { ...tls, headers: { ...headers }, agent: false, timeout: TIMEOUT_MS });
    outgoing.once("error", reject);
    outgoing.once("timeout", () =>
      outgoing.destroy(new Error(`${url} did not answer in ${TIMEOUT_MS / 1000} s`)),
    );
    outgoing.once("response", (incoming) => {
      let body = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => (body += chunk));
      incoming.once("error", reject);
      incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, body }));
    });
    outgoing.end();
  });
}

function messageOf(error: unknown, url: string): string {
  return `Get "${url}": ${error instanceof Error ? error.message : String(error)}`;
}
