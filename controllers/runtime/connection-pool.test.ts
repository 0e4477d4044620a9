import net from "node:net";
import { fixed, waitFor } from "../../test/harness/fault-proxy";
import { ApiClient, ConnectionError } from ".";

/** A server that hears whole requests and answers with exactly the bytes that a test gives. */
class RawServer {
  readonly requests: string[] = [];
  connections = 0;
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((socket) => {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (data) => {
      this.requests.push(data.toString());
      this.answer(socket);
    });
  });

  constructor(readonly answer: (socket: net.Socket) => void) {}

  async client(): Promise<ApiClient> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const client = new ApiClient(fixed(`http://127.0.0.1:${address.port}`, "secret"), {
      rateLimit: false,
      maxSockets: 2,
    });
    closers.push(() => client.close());
    return client;
  }

  get open(): number {
    return this.#sockets.size;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function serverThat(answer: (socket: net.Socket) => void): RawServer {
  const server = new RawServer(answer);
  closers.push(() => server.close());
  return server;
}

const GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const ask = (client: ApiClient, path = "/a"): Promise<unknown> => client.request({ method: "GET", path });

test("a connection with more than an answer on it is not used again", async () => {
  const server = serverThat((socket) => socket.write(`${GOOD}${GOOD}`));
  const client = await server.client();
  await expect(ask(client)).rejects.toThrow("The answer goes on after its end.");
  await expect(ask(client)).rejects.toThrow(ConnectionError);
  expect(server.connections).toBe(2);
});

test("an answer that nobody asked for is not taken for the next", async () => {
  const sockets: net.Socket[] = [];
  const server = serverThat((socket) => {
    sockets.push(socket);
    socket.write(GOOD);
  });
  const client = await server.client();
  await ask(client);
  sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a":"b"}');
  await waitFor("the connection to be closed", () => server.open === 0);
  await expect(ask(client)).resolves.toEqual({});
});

test("requests beyond the limit of connections wait, and one that is given up meanwhile is never sent", async () => {
  const waiting: net.Socket[] = [];
  const server = serverThat((socket) => waiting.push(socket));
  const client = await server.client();
  const first = [ask(client, "/1"), ask(client, "/2")];
  const giveUp = new AbortController();
  const given = client.request({ method: "GET", path: "/given-up", signal: giveUp.signal });
  const last = ask(client, "/3");
  await waitFor("two requests", () => waiting.length === 2);
  giveUp.abort();
  await expect(given).rejects.toThrow("GET /given-up was given up.");
  for (const socket of waiting.splice(0)) socket.write(GOOD);
  await Promise.all(first);
  await waitFor("the third request", () => waiting.length === 1);
  waiting[0]?.write(GOOD);
  await last;
  expect(server.requests.map((text) => text.split(" ")[1])).toEqual(["/1", "/2", "/3"]);
  expect(server.connections).toBe(2);
});

test("a request that is given up takes its connection with it, since its answer may still come", async () => {
  const server = serverThat(() => {});
  const client = await server.client();
  const giveUp = new AbortController();
  const given = client.request({ method: "GET", path: "/a", signal: giveUp.signal });
  await waitFor("the request", () => server.requests.length === 1);
  giveUp.abort();
  await expect(given).rejects.toThrow("was given up");
  await waitFor("the connection to be closed", () => server.open === 0);
});

test("a connection that breaks fails its own request alone", async () => {
  const server = serverThat((socket) => {
    if (server.requests.at(-1)?.includes("/broken") === true) socket.destroy();
    else socket.write(GOOD);
  });
  const client = await server.client();
  const [broken, ...others] = await Promise.allSettled(
    ["/broken", "/a", "/b", "/c"].map((path) => ask(client, path)),
  );
  expect(broken).toMatchObject({ status: "rejected", reason: { code: "ECONNRESET" } });
  expect(others.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
});

test("an answer in many parts is put together", async () => {
  const text = JSON.stringify({ text: "ä".repeat(300_000) });
  const server = serverThat((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 65_537) {
      const part = bytes.subarray(at, at + 65_537);
      socket.write(`${part.length.toString(16)}\r\n`);
      socket.write(part);
      socket.write("\r\n");
    }
    socket.write("0\r\n\r\n");
  });
  await expect(ask(await server.client())).resolves.toEqual(JSON.parse(text));
});

test("nothing in a path or a header begins another request", async () => {
  const server = serverThat((socket) => socket.write(GOOD));
  const client = await server.client();
  await expect(ask(client, "/a HTTP/1.1\r\nx: y")).rejects.toThrow("characters that a path cannot have");
  await expect(ask(client.actingAs("a\r\nx: y"))).rejects.toThrow(
    "The header impersonate-user has characters that a header cannot have.",
  );
  expect(server.requests).toEqual([]);
});
