import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { LOOPBACK } from "../controlplane/network";
import { parseJson } from "../../lib/json";
import { errorMessage, Failure } from "../../lib/failure";
import type { RawAnswer, RawRequest } from "./backend";
import { reply } from "./answer";

/** Answers requests of the control paths (`/_fleetwright/…`); undefined where there is no such path. */
export type Control = (method: string, path: string, body: unknown) => unknown;

const CONTROL = "/_fleetwright/";

/** The HTTP server that clients of AWS's API talk to. */
export class HttpFrontEnd {
  readonly #server: Server;

  private constructor(
    server: Server,
    readonly port: number,
  ) {
    this.#server = server;
  }

  get endpoint(): string {
    return `http://${LOOPBACK}:${this.port}`;
  }

  /** Listens on a port of the loopback address, the wanted one if it is free. */
  static async listen(
    handle: (raw: RawRequest) => Promise<RawAnswer>,
    control: Control,
    wanted: number | undefined,
  ): Promise<HttpFrontEnd> {
    const server = createServer((request, response) => {
      serve(request, handle, control)
        .catch((error: unknown) => reply({ message: `The sandbox failed: ${errorMessage(error)}` }, 500))
        .then((answer) => write(response, answer))
        .catch(() => response.destroy());
    });
    // The SDK keeps connections for long; a server that closes them first makes calls fail now and then.
    server.keepAliveTimeout = 120_000;
    server.headersTimeout = 125_000;
    const port = await listening(server, wanted ?? 0).catch(() => listening(server, 0));
    return new HttpFrontEnd(server, port);
  }

  /** Stops listening; calls that are under way are cut off. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

async function serve(
  request: IncomingMessage,
  handle: (raw: RawRequest) => Promise<RawAnswer>,
  control: Control,
): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  const body = Buffer.concat(chunks);
  const [method, target] = [request.method ?? "GET", request.url ?? "/"];
  if (!target.startsWith(CONTROL)) return handle({ method, target, headers: request.headers, body });
  try {
    const answer = await control(method, target.slice(CONTROL.length), parseJson(body.toString()));
    return answer === undefined
      ? reply({ message: `No such path: ${method} ${target}` }, 404)
      : reply(answer);
  } catch (error) {
    return reply({ message: errorMessage(error) }, 400);
  }
}

function write(response: ServerResponse, answer: RawAnswer): void {
  const headers = { ...answer.headers };
  // The body is sent whole; what moto said about its own connection is not ours to say.
  delete headers["transfer-encoding"];
  delete headers.connection;
  delete headers.date;
  if (response.req.method !== "HEAD") headers["content-length"] = String(answer.body.length);
  response.writeHead(answer.status, headers);
  response.end(answer.body);
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => {
      server.removeListener("error", reject);
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Failure(`The AWS API could not listen on ${LOOPBACK}.`));
    });
  });
}
