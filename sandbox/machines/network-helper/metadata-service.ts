import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerMetadata } from "./metadata";
import type { MachineSpec } from "../spec";

const MAX_TTL_SECONDS = 21_600;

/** A request for metadata, without the network around it. */
export interface MetadataRequest {
  method: string;
  path: string;
  header(name: string): string | undefined;
  /** How many network hops it made: 1 from the machine itself, 2 from a pod on it. */
  hops: number;
}

/** The answer; undefined where none arrives because its packets exceed the hop limit. */
export type MetadataReply = { status: number; text: string; headers?: Record<string, string> } | undefined;

/** The EC2 instance metadata service: version 2, and version 1 where allowed. */
export class MetadataService {
  readonly #tokens = new Map<string, { machineId: string; ends: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Answers a request of a machine. */
  answer(spec: MachineSpec, request: MetadataRequest): MetadataReply {
    if (spec.metadata.enabled === false) return { status: 403, text: "" };
    const [, version = "", ...rest] = request.path.split("?")[0]?.split("/") ?? [];
    const target = rest.join("/");
    if (target === "api/token") return this.#token(spec, request);
    if (request.method !== "GET" && request.method !== "HEAD") return { status: 405, text: "" };
    const token = request.header("x-aws-ec2-metadata-token");
    if (token === undefined ? spec.metadata.tokensRequired : !this.#isValid(spec.id, token)) {
      return { status: 401, text: "" };
    }
    if (version === "") return { status: 200, text: "latest" };
    if (!/^(latest|1\.0|\d{4}-\d{2}-\d{2})$/.test(version)) return { status: 404, text: "" };
    const found = answerMetadata(spec, target);
    return found.kind === "text" ? { status: 200, text: found.text } : { status: 404, text: "" };
  }

  #token(spec: MachineSpec, request: MetadataRequest): MetadataReply {
    if (request.method !== "PUT") return { status: 405, text: "", headers: { allow: "OPTIONS, PUT" } };
    // A proxy would let others in; AWS refuses it too.
    if (request.header("x-forwarded-for") !== undefined) return { status: 403, text: "" };
    const text = request.header("x-aws-ec2-metadata-token-ttl-seconds") ?? "";
    const seconds = /^\d+$/.test(text) ? Number(text) : 0;
    if (seconds < 1 || seconds > MAX_TTL_SECONDS) return { status: 400, text: "" };
    if (request.hops > spec.metadata.hopLimit) return undefined;
    const token = randomBytes(42).toString("base64url");
    this.#dropExpired();
    this.#tokens.set(token, { machineId: spec.id, ends: this.#now() + seconds * 1000 });
    return { status: 200, text: token, headers: { "x-aws-ec2-metadata-token-ttl-seconds": String(seconds) } };
  }

  #isValid(machineId: string, token: string): boolean {
    const found = this.#tokens.get(token);
    return found?.machineId === machineId && found.ends > this.#now();
  }

  #dropExpired(): void {
    for (const [token, { ends }] of this.#tokens) if (ends <= this.#now()) this.#tokens.delete(token);
  }
}

/** Serves requests that made a given number of hops; the machine is known by its address. */
export function metadataServer(
  service: MetadataService,
  hops: number,
  machineAt: (ip: string) => MachineSpec | undefined,
): Server {
  return createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    incoming.resume();
    const spec = machineAt((incoming.socket.remoteAddress ?? "").replace(/^::ffff:/, ""));
    const header = (name: string): string | undefined => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const request = { method: incoming.method ?? "GET", path: incoming.url ?? "/", header, hops };
    const reply = spec === undefined ? { status: 404, text: "" } : service.answer(spec, request);
    if (reply === undefined) return;
    outgoing.writeHead(reply.status, {
      "content-type": "text/plain",
      "content-length": Buffer.byteLength(reply.text),
      server: "EC2ws",
      ...("headers" in reply ? reply.headers : {}),
    });
    outgoing.end(incoming.method === "HEAD" ? undefined : reply.text);
  });
}
