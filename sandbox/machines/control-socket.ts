import { constants, rmSync } from "node:fs";
import { chmod, open, type FileHandle } from "node:fs/promises";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import { errorMessage, Failure } from "../../lib/failure";
import { parseJson, textAt } from "../../lib/json";

/** A request to a control socket. */
export interface ControlRequest {
  method: string;
  /** Begins with a slash. */
  path: string;
  body?: unknown;
  /** How long the answer may take. @default 15 s */
  timeoutMs?: number;
}

/** Answers a request with a JSON value, or with undefined where there is nothing at its path. */
export type ControlHandler = (request: ControlRequest) => Promise<unknown>;

/** The kernel takes no longer path of a socket. */
const MAX_PATH_BYTES = 107;
const DEFAULT_TIMEOUT_MS = 15_000;

/**
 * Serves JSON over HTTP on a unix socket that only its owner can use: the way in which a process of the sandbox is
 * controlled. `streams` are paths that answer with an open stream instead of one value.
 */
export async function serveControlSocket(
  file: string,
  handler: ControlHandler,
  streams: Readonly<Record<string, (outgoing: ServerResponse) => void>> = {},
): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const stream = streams[incoming.url ?? ""];
    if (stream !== undefined) {
      stream(outgoing);
      return;
    }
    void answer(handler, incoming).then(({ status, value }) => {
      outgoing.writeHead(status, { "content-type": "application/json" });
      outgoing.end(JSON.stringify(value));
    });
  });
  rmSync(file, { force: true });
  const { address, folder } = await shortAddress(file);
  server.once("close", () => void folder?.close());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, resolve);
  });
  await chmod(file, 0o600);
  return server;
}

/** Sends a request to a control socket and returns the answer. `name` is what error messages call the other side. */
export async function callControlSocket(name: string, file: string, call: ControlRequest): Promise<unknown> {
  const { address, folder } = await shortAddress(file);
  try {
    const { status, text } = await send(name, address, call);
    if (status === 200) return parseJson(text);
    throw new Failure(`${name} refused: ${textAt(parseJson(text), "message") ?? text}`);
  } finally {
    await folder?.close();
  }
}

async function answer(
  handler: ControlHandler,
  incoming: IncomingMessage,
): Promise<{ status: number; value: unknown }> {
  const { method = "GET", url = "/" } = incoming;
  try {
    const text = await textOf(incoming);
    const value = await handler({ method, path: url, ...(text === "" ? {} : { body: JSON.parse(text) }) });
    return value === undefined
      ? { status: 404, value: { message: `nothing answers ${method} ${url}` } }
      : { status: 200, value };
  } catch (error) {
    return { status: 500, value: { message: errorMessage(error) } };
  }
}

function send(
  name: string,
  socketPath: string,
  { method, path: target, body, timeoutMs = DEFAULT_TIMEOUT_MS }: ControlRequest,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    // A connection of its own: a kept one may lead to a process that has been replaced since.
    const options = { socketPath, method, path: target, timeout: timeoutMs, agent: false };
    const outgoing = request(options, (incoming) => {
      textOf(incoming).then((text) => resolve({ status: incoming.statusCode ?? 0, text }), reject);
    });
    outgoing.once("timeout", () =>
      outgoing.destroy(new Failure(`${name} did not answer within ${timeoutMs / 1000} s.`)),
    );
    outgoing.once("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function textOf(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (text += chunk));
    incoming.once("error", reject);
    incoming.once("end", () => resolve(text));
  });
}

/** An address of the socket that the kernel takes: a path that is too long goes through the folder's descriptor. */
async function shortAddress(file: string): Promise<{ address: string; folder?: FileHandle }> {
  if (Buffer.byteLength(file) <= MAX_PATH_BYTES) return { address: file };
  if (process.platform !== "linux")
    throw new Failure(`The path of a socket has at most ${MAX_PATH_BYTES} bytes; found ${file}.`);
  const folder = await open(path.dirname(file), constants.O_RDONLY | constants.O_DIRECTORY);
  return { address: `/proc/self/fd/${folder.fd}/${path.basename(file)}`, folder };
}
