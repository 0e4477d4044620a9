import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { TLSSocket } from "node:tls";
import type { ApiClient } from "../../../controlplane/api";
import { errorMessage } from "../../../../lib/failure";
import { listAt, textAt } from "../../../../lib/json";
import { authorityOf, type SharedFiles } from "./authorities";
import { nodeCertificate } from "./leaf-certificates";
import { API_PORT, SUPERVISOR_PORT } from "./layout";
import { log } from "./log";
import type { Member } from "./member";
import { checkNodePassword, NodePasswordRejected } from "./node-password";

/** Who asks. */
export type Caller = "server" | "node" | "nobody";

/** The passwords of a cluster. */
export interface Passwords {
  server: string;
  agent: string;
}

/** What the supervisor tells of. */
export interface SupervisorContext {
  serving: { cert: string; key: string };
  shared: SharedFiles;
  passwords: Passwords;
  /** What joining nodes and servers learn of this cluster. */
  config: () => unknown;
  members: () => Promise<Member[]>;
  api: () => ApiClient | undefined;
}

/** Recognises the credentials of a join token. The server's credentials are valid for everything that a node may do, too. */
export function callerOf(header: string | undefined, passwords: Passwords): Caller {
  const [, encoded] = /^Basic (.+)$/.exec(header ?? "") ?? [];
  if (encoded === undefined) return "nobody";
  const [user, ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  const password = rest.join(":");
  if (user === "server" && same(password, passwords.server)) return "server";
  if (same(password, passwords.agent) && user === "node") return "node";
  // An agent that was given the server's token in its short form comes as a node.
  return user === "node" && same(password, passwords.server) ? "node" : "nobody";
}

interface Reply {
  status: number;
  body: string;
}

/** Serves joining nodes and servers on port 9345: `/ping` and `/cacerts` to everybody, the rest with the join token. */
export async function serveSupervisor(home: SupervisorContext, address: string): Promise<Server> {
  const server = createServer(
    {
      ...home.serving,
      ca: authorityOf(home.shared, "client-ca").certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (incoming, outgoing) => {
      void answer(home, incoming)
        .catch((error: unknown): Reply => {
          log("error", `${incoming.method ?? ""} ${incoming.url ?? ""}: ${errorMessage(error)}`);
          return { status: error instanceof NodePasswordRejected ? 403 : 503, body: errorMessage(error) };
        })
        .then(({ status, body }) => {
          outgoing.writeHead(status, {
            "content-type": body.startsWith("{") || body.startsWith("[") ? "application/json" : "text/plain",
          });
          outgoing.end(body);
        });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(SUPERVISOR_PORT, address, resolve);
  });
  return server;
}

async function answer(home: SupervisorContext, incoming: IncomingMessage): Promise<Reply> {
  const { pathname } = new URL(incoming.url ?? "/", "https://supervisor");
  if (pathname === "/ping") return ok("pong");
  if (pathname === "/cacerts") return ok(authorityOf(home.shared, "server-ca").certificate);
  const caller = isNodeCertificate(incoming)
    ? "node"
    : callerOf(incoming.headers.authorization, home.passwords);
  if (caller === "nobody") return { status: 401, body: "Unauthorized" };
  const forNode = await answerNode(home, pathname, incoming);
  if (forNode !== undefined) return forNode;
  if (caller !== "server") return { status: 403, body: "Forbidden" };
  if (pathname === "/v1-rke2/server-bootstrap") return ok(JSON.stringify(home.shared));
  if (pathname === "/db/info") return ok(JSON.stringify({ members: await home.members() }));
  return { status: 404, body: "404 page not found" };
}

async function answerNode(
  home: SupervisorContext,
  pathname: string,
  incoming: IncomingMessage,
): Promise<Reply | undefined> {
  const name = headerOf(incoming, "rke2-node-name");
  const node = { name, ip: headerOf(incoming, "rke2-node-ip") };
  switch (pathname) {
    case "/v1-rke2/client-kubelet.crt":
    case "/v1-rke2/serving-kubelet.crt": {
      if (name === "" || node.ip === "")
        return { status: 400, body: "the headers rke2-Node-Name and rke2-Node-IP are missing" };
      await checkNodePassword(required(home), name, headerOf(incoming, "rke2-node-password"));
      return pair(home, pathname.includes("client") ? "client-kubelet" : "serving-kubelet", node);
    }
    case "/v1-rke2/client-kube-proxy.crt":
      return pair(home, "client-kube-proxy", node);
    case "/v1-rke2/client-rke2-controller.crt":
      return pair(home, "client-rke2-controller", node);
    case "/v1-rke2/client-ca.crt":
      return ok(authorityOf(home.shared, "client-ca").certificate);
    case "/v1-rke2/server-ca.crt":
      return ok(authorityOf(home.shared, "server-ca").certificate);
    case "/v1-rke2/config":
      return ok(JSON.stringify(home.config()));
    case "/v1-rke2/readyz":
      return home.api() === undefined ? { status: 503, body: "not ready" } : ok("ok");
    case "/v1-rke2/apiservers":
      return ok(JSON.stringify(await apiServers(required(home))));
    default:
      return undefined;
  }
}

async function pair(
  home: SupervisorContext,
  which: Parameters<typeof nodeCertificate>[1],
  node: { name: string; ip: string },
): Promise<Reply> {
  const { certificate, key } = await nodeCertificate(home.shared, which, node);
  return ok(`${certificate}${key}`);
}

async function apiServers(api: ApiClient): Promise<string[]> {
  const slices = await api.get(
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name%3Dkubernetes",
  );
  return listAt(slices, "items")
    .flatMap((slice) => listAt(slice, "endpoints"))
    .flatMap((endpoint) => listAt(endpoint, "addresses").map((address) => `${String(address)}:${API_PORT}`));
}

function required(home: SupervisorContext): ApiClient {
  const api = home.api();
  if (api === undefined) throw new Error("runtime core not ready");
  return api;
}

function isNodeCertificate(incoming: IncomingMessage): boolean {
  const { socket } = incoming;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const groups = socket.getPeerCertificate().subject as { O?: string | string[] } | undefined;
  return [groups?.O ?? []].flat().includes("system:nodes");
}

function headerOf(incoming: IncomingMessage, name: string): string {
  return textAt(incoming.headers, name) ?? "";
}

function ok(body: string): Reply {
  return { status: 200, body };
}

function same(one: string, two: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(two)];
  return left.length === right.length && timingSafeEqual(left, right);
}
