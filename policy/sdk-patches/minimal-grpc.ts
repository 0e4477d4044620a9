/**
 * Stands for `@grpc/grpc-js` in the bundle (bundle.js): a gRPC server with unary methods, on Node's HTTP/2.
 *
 * Reason: `@grpc/grpc-js` takes a third of the time that a pack needs to start, and most of the time of a short call. The engine
 * makes two calls for every resource, one after the other.
 * Made for: @pulumi/policy 1.21.0, @pulumi/pulumi 3.248.0
 */
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

interface MethodDefinition {
  readonly path: string;
  readonly requestDeserialize: (message: Buffer) => unknown;
  readonly responseSerialize: (message: unknown) => Uint8Array;
  /** Whether a call is answered at once with "not implemented", without being read. It may change from call to call. */
  readonly isRefused?: () => boolean;
}
type Handler = (call: { request: unknown }, answer: (error: unknown, response?: unknown) => void) => void;

/** gRPC status codes. */
const OK = 0;
const UNKNOWN = 2;
const UNIMPLEMENTED = 12;

const CONTENT_TYPE = { ":status": 200, "content-type": "application/grpc+proto" };
/** A message follows one byte, whether it is compressed, and four with its length. */
const PREFIX_BYTES = 5;
/** How much a client may send before it waits: a request for a whole stack has several megabytes. */
const WINDOW_BYTES = 16 * 1024 * 1024;

/** A server for services without streams. */
export class Server {
  readonly #methods = new Map<string, { definition: MethodDefinition; handle: Handler }>();

  addService(
    definition: Readonly<Record<string, MethodDefinition>>,
    handlers: Readonly<Record<string, Handler | undefined>>,
  ): void {
    for (const [name, method] of Object.entries(definition)) {
      const handle = handlers[name];
      if (handle !== undefined) this.#methods.set(method.path, { definition: method, handle });
    }
  }

  bindAsync(
    address: string,
    _credentials: unknown,
    bound: (error: Error | null, port: number) => void,
  ): void {
    const [host, port] = address.split(":");
    const server = createServer({ settings: { initialWindowSize: WINDOW_BYTES } });
    server.on("session", (session) => session.setLocalWindowSize(WINDOW_BYTES));
    server.on("stream", (stream, headers) => this.#serve(stream, headers[":path"] ?? ""));
    server.once("error", (error: Error) => bound(error, 0));
    server.listen(Number(port), host, () => bound(null, (server.address() as AddressInfo).port));
  }

  #serve(stream: ServerHttp2Stream, path: string): void {
    const chunks: Buffer[] = [];
    // The engine may end at any time.
    stream.on("error", () => {});
    if (this.#methods.get(path)?.definition.isRefused?.() === true) {
      stream.resume();
      fail(stream, UNIMPLEMENTED, `${path} is not needed`);
      return;
    }
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const method = this.#methods.get(path);
      if (method === undefined) {
        fail(stream, UNIMPLEMENTED, `${path} is not implemented`);
        return;
      }
      try {
        const request = method.definition.requestDeserialize(messageIn(Buffer.concat(chunks)));
        method.handle({ request }, (error, response) => {
          if (error !== null && error !== undefined) fail(stream, UNKNOWN, messageOf(error));
          else succeed(stream, method.definition.responseSerialize(response));
        });
      } catch (error) {
        fail(stream, UNKNOWN, messageOf(error));
      }
    });
  }
}

/** The message in a request of one message. */
function messageIn(body: Buffer): Buffer {
  if (body.length < PREFIX_BYTES || body[0] !== 0) throw new Error("the request is empty or compressed");
  return body.subarray(PREFIX_BYTES, PREFIX_BYTES + body.readUInt32BE(1));
}

function succeed(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) return;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  stream.respond(CONTENT_TYPE, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(OK) }));
  stream.end(Buffer.concat([prefix, message]));
}

function fail(stream: ServerHttp2Stream, code: number, message: string): void {
  if (stream.destroyed) return;
  const status = { "grpc-status": String(code), "grpc-message": percentEncoded(message) };
  stream.respond({ ...CONTENT_TYPE, ...status }, { endStream: true });
}

/** As gRPC wants status messages: everything but printable ASCII is encoded, and the percent sign itself. */
function percentEncoded(message: string): string {
  const isPlain = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
  return [...Buffer.from(message)]
    .map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`))
    .join("");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The engine is local: nothing is encrypted. */
export const ServerCredentials = { createInsecure: (): undefined => undefined };

/** For generated code that also defines clients, which no pack uses. */
export function makeGenericClientConstructor(): undefined {
  return undefined;
}
