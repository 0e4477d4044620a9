// The HTTP server for probes and metrics.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { errorMessage } from "../../lib/failure";
import type { Metrics } from "./metrics";
import type { Access } from "./metrics-access";

/** Returns what is wrong, in words; nothing if all is well. */
export type Check = () => readonly string[];

/** What is served. */
export interface ServerOptions {
  /** 0 for any. @default 8080 */
  port?: number;
  /** @default all addresses, which is what probes of a pod need */
  host?: string;
  /** A folder with `tls.crt` and `tls.key`, which are read again when they change. @default served by plain HTTP */
  tls?: string;
  /** How often they are read again. A mounted Secret follows its object within about a minute anyway. @default 30000 */
  rereadMs?: number;
  metrics: Metrics;
  /** Whether the sender of an `Authorization` header may read metrics. @default everybody may */
  metricsAccess?: (authorization: string | undefined) => Promise<Access>;
  /** Whether the process works at all: on failure the kubelet restarts it. */
  healthy?: Check;
  /** Whether the process can do its job now. */
  ready?: Check;
}

/** Serves `/healthz`, `/readyz` and `/metrics`. */
export class Server {
  readonly #server: http.Server;
  readonly #options: ServerOptions;
  #rereading: NodeJS.Timeout | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const answer = (request: http.IncomingMessage, response: http.ServerResponse): void =>
      void this.#answer(request, response);
    this.#server = options.tls === undefined ? http.createServer(answer) : this.#secure(options.tls, answer);
    this.#server.headersTimeout = 10_000;
  }

  /** Starts to listen; returns the port. */
  listen(): Promise<number> {
    const { port = 8080, host } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.off("error", reject);
        resolve(portOf(this.#server.address(), port));
      });
    });
  }

  #secure(folder: string, answer: http.RequestListener): https.Server {
    let pair = readPair(folder);
    const server = https.createServer({ ...pair, minVersion: "TLSv1.2" }, answer);
    this.#rereading = setInterval(() => {
      try {
        const found = readPair(folder);
        if (found.cert === pair.cert && found.key === pair.key) return;
        // Tried first: a server that is given half of a pair keeps that half. An empty file, which is being written, is no error there.
        tls.createSecureContext(found);
        if (found.cert === "" || found.key === "") return;
        server.setSecureContext({ ...found, minVersion: "TLSv1.2" });
        pair = found;
      } catch {
        // Half of a pair, which the next look finds whole: the one before serves until then.
      }
    }, this.#options.rereadMs ?? 30_000).unref();
    return server;
  }

  close(): Promise<void> {
    clearInterval(this.#rereading);
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(
    { url = "/", method, headers }: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const path = url.split("?", 1)[0];
    const say = (code: number, text: string, type = "text/plain; charset=utf-8"): void => {
      response.writeHead(code, { "content-type": type, "cache-control": "no-store" });
      response.end(text);
    };
    try {
      if (method !== "GET" && method !== "HEAD") say(405, "Only GET and HEAD are allowed.\n");
      else if (path === "/healthz") say(...verdict(this.#options.healthy));
      else if (path === "/readyz") say(...verdict(this.#options.ready));
      else if (path === "/metrics") {
        const access = (await this.#options.metricsAccess?.(headers.authorization)) ?? "allowed";
        if (access !== "allowed") say(...REFUSALS[access]);
        else say(200, await this.#options.metrics.render(), "text/plain; version=0.0.4; charset=utf-8");
      } else say(404, "Not found: try /healthz, /readyz or /metrics.\n");
    } catch (error) {
      say(500, `${errorMessage(error)}\n`);
    }
  }
}

function readPair(folder: string): { cert: string; key: string } {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return { cert: read("tls.crt"), key: read("tls.key") };
}

const REFUSALS: Readonly<Record<Exclude<Access, "allowed">, [number, string]>> = {
  unauthenticated: [401, "Send a token of this cluster: Authorization: Bearer <token>.\n"],
  forbidden: [403, "The token's user may not get the path /metrics: give it that right in RBAC.\n"],
  unknown: [503, "The API server could not be asked about the token: try again.\n"],
};

function verdict(check: Check | undefined): [number, string] {
  const problems = check?.() ?? [];
  return problems.length === 0 ? [200, "ok\n"] : [503, `${problems.join("\n")}\n`];
}

function portOf(address: AddressInfo | string | null, otherwise: number): number {
  return typeof address === "object" && address !== null ? address.port : otherwise;
}
