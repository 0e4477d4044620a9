import http from "node:http";
import type { AddressInfo } from "node:net";
import { fixed, waitFor } from "../../test/fault-proxy";
import { ApiClient } from ".";

const IDLE_MS = 2000;
let server: http.Server;
let client: ApiClient;

beforeAll(async () => {
  server = http.createServer((request, response) => {
    setTimeout(() => response.end("{}"), request.url === "/slow" ? 1.5 * IDLE_MS : 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = new ApiClient(fixed(`http://127.0.0.1:${port}`, ""), { rateLimit: false, idleMs: IDLE_MS });
});
afterAll(async () => {
  client.close();
  await new Promise((resolve) => server.close(resolve));
});

const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );
const get = (path: string): Promise<unknown> => client.request({ method: "GET", path });

test("connections are kept for what follows at once, and closed when nobody needs them", async () => {
  await Promise.all(Array.from({ length: 8 }, () => get("/")));
  expect(await connections()).toBe(8);
  await get("/");
  expect(await connections()).toBe(8);
  await waitFor("all to be closed", async () => (await connections()) === 0);
  await get("/");
  expect(await connections()).toBe(1);
});

test("an answer that takes longer than that is waited for", async () => {
  await expect(get("/slow")).resolves.toEqual({});
});
