import http from "node:http";
import type { AddressInfo } from "node:net";
import { fixed, waitFor } from "../../test/harness/fault-proxy";
import { ApiClient } from ".";

const IDLE_MS = 200;
const AT_ONCE = 8;
let server: http.Server;
let opened = 0;
const clients: ApiClient[] = [];
const waiting: http.ServerResponse[] = [];

beforeAll(async () => {
  server = http.createServer((request, response) => {
    if (request.url === "/slow") setTimeout(() => response.end("{}"), 1.5 * IDLE_MS);
    else if (request.url === "/together") {
      // Answered when all are there, so that none can use the connection of another.
      waiting.push(response);
      if (waiting.length === AT_ONCE) for (const one of waiting) one.end("{}");
    } else response.end("{}");
  });
  server.on("connection", () => (opened += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  for (const client of clients) client.close();
  await new Promise((resolve) => server.close(resolve));
});

function clientWith(idleMs: number): { get: (path: string) => Promise<unknown> } {
  const { port } = server.address() as AddressInfo;
  const client = new ApiClient(fixed(`http://127.0.0.1:${port}`, ""), { rateLimit: false, idleMs });
  clients.push(client);
  return { get: (path) => client.request({ method: "GET", path }) };
}

const open = (): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );

test("idle connections are used again", async () => {
  const before = opened;
  const { get } = clientWith(300_000);
  await Promise.all(Array.from({ length: AT_ONCE }, () => get("/together")));
  expect(opened - before).toBe(AT_ONCE);
  await get("/");
  expect(opened - before).toBe(AT_ONCE);
  clients.pop()?.close();
  await waitFor("the connections to be closed", async () => (await open()) === 0);
});

test("connections that stay idle are closed, and a new one is made when needed", async () => {
  const { get } = clientWith(IDLE_MS);
  await get("/");
  await waitFor("the connection to be closed", async () => (await open()) === 0);
  await expect(get("/")).resolves.toEqual({});
});

test("a response that takes longer than that is waited for", async () => {
  await expect(clientWith(IDLE_MS).get("/slow")).resolves.toEqual({});
});
