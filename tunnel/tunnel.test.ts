import { once } from "node:events";
import { request } from "node:http";
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import path from "node:path";
import { waitFor } from "../lib/deadline";
import { freePort } from "../lib/port";
import { openTunnel, statusOf } from "./open";
import { bootProblem, reachProblem } from "./reach";
import type { TunnelSettings } from "./settings";
import { TestBastion } from "./testing/bastion";
import { TestEngine } from "./testing/engine";

const ROOT = path.join(__dirname, "..");
let bastion: TestBastion;
let target: Server;
let settings: TunnelSettings;
const engines: TestEngine[] = [];
/** An engine that ends with the test. */
const newEngine = (): TestEngine => {
  const engine = new TestEngine();
  engines.push(engine);
  return engine;
};
const sockets = new Set<Socket>();

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly host?: string;
}

beforeEach(async () => {
  bastion = new TestBastion();
  const port = await bastion.listen();
  target = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => socket.write(`echo ${data.toString()}`));
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  settings = {
    identity: "acme/test/main",
    localPort: await freePort(),
    bastion: {
      host: "127.0.0.1",
      port,
      user: "fw-tunnel",
      hostKey: bastion.host.publicKey,
      privateKey: bastion.login.privateKey,
    },
    target: { host: "127.0.0.1", port: (target.address() as AddressInfo).port },
  };
});

afterEach(async () => {
  for (const engine of engines.splice(0)) engine.end();
  await gone();
  await bastion.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => target.close(resolve));
});

const gone = (): Promise<void> =>
  waitFor("the tunnel to end", async () => (await statusOf(settings.localPort)) === undefined, {
    timeoutMs: 30_000,
  });

/** Connects as a client of Kubernetes does, and gives the answer's code with the connection. */
async function through(port: number, destination: { host: string; port: number }): Promise<[number, Socket]> {
  const socket = connect({ host: "127.0.0.1", port });
  const host = Buffer.from(destination.host);
  socket.write(Buffer.from([5, 1, 0]));
  expect(((await once(socket, "data")) as [Buffer])[0]).toEqual(Buffer.from([5, 0]));
  socket.write(
    Buffer.concat([
      Buffer.from([5, 1, 0, 3, host.length]),
      host,
      Buffer.from([destination.port >> 8, destination.port & 255]),
    ]),
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  return [answer[1] ?? -1, socket];
}

/** The code of the answer to a plain request. */
function answerTo(port: number, { method = "GET", body, headers, host }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ host: "127.0.0.1", port, method, agent: false },
      headers: { "content-type": "application/json", host: host ?? `127.0.0.1:${port}`, ...headers },
    });
    call.on("response", (answer) => resolve(answer.resume().statusCode ?? 0)).on("error", reject);
    if (body !== undefined) call.setHeader("content-length", Buffer.byteLength(body));
    call.end(body);
  });
}

async function echo(): Promise<string> {
  const [code, socket] = await through(settings.localPort, settings.target);
  expect(code).toBe(0);
  socket.write("hello");
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return data.toString();
}

test("a tunnel carries connections through the bastion, and ends with the engine that it was opened for", async () => {
  const engine = newEngine();
  await openTunnel(settings, await engine.start(), ROOT);
  expect(await reachProblem(settings)).toBeUndefined();
  expect(await echo()).toBe("echo hello");
  expect(bastion.logins).toBe(1);
  engine.end();
  await gone();
});

test("two runs share it, and the last one to end takes it along", async () => {
  const [first, second] = [newEngine(), newEngine()];
  const addresses = [await first.start(), await second.start()];
  await Promise.all(addresses.map((address) => openTunnel(settings, address, ROOT)));
  await waitFor("both to be watched", () => first.watchers === 1 && second.watchers === 1, {
    timeoutMs: 30_000,
  });
  first.end();
  expect(await echo()).toBe("echo hello");
  second.end();
  await gone();
});

test("nothing else behind the bastion can be reached through it", async () => {
  await openTunnel(settings, await newEngine().start(), ROOT);
  for (const other of [
    { host: "127.0.0.1", port: settings.bastion.port },
    { host: "localhost", port: settings.target.port },
  ]) {
    const [code, socket] = await through(settings.localPort, other);
    socket.destroy();
    expect(code).toBe(2);
  }
  expect(bastion.logins).toBe(0);
});

test("it connects again after the bastion was away", async () => {
  await openTunnel(settings, await newEngine().start(), ROOT);
  expect(await echo()).toBe("echo hello");
  bastion.drop();
  await waitFor("a second login", async () => (await echo()) === "echo hello" && bastion.logins === 2, {
    timeoutMs: 30_000,
  });
});

test("a port that somebody else has is an error that says what to set", async () => {
  const other = createTcpServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"));
  await new Promise<void>((resolve) => other.listen(settings.localPort, "127.0.0.1", resolve));
  await expect(openTunnel(settings, await newEngine().start(), ROOT)).rejects.toThrow(
    /another program has that port\. End it, or set network\.bastion\.localPort/,
  );
  other.close();
});

test.each<[string, Asked, number]>([
  ["a page's request", { headers: { origin: "https://example.com" } }, 403],
  ["the name of another server", { host: "example.com" }, 403],
  ["a form", { method: "POST", body: "{}", headers: { "content-type": "text/plain" } }, 415],
  ["nothing that names an engine", { method: "POST", body: "{}" }, 400],
  ["more than an address can be", { method: "POST", body: `{"engine":"${"1".repeat(100_000)}"}` }, 413],
  ["another method", { method: "PUT", body: "{}" }, 405],
])("%s is refused", async (_, asked, status) => {
  const engine = newEngine();
  const address = await engine.start();
  await openTunnel(settings, address, ROOT);
  expect(await answerTo(settings.localPort, asked)).toBe(status);
  // It goes on for whoever may.
  expect(await statusOf(settings.localPort)).toMatchObject({ identity: "acme/test/main" });
});

test("somebody who goes in the middle of a request does not take it along", async () => {
  await openTunnel(settings, await newEngine().start(), ROOT);
  const socket = connect({ host: "127.0.0.1", port: settings.localPort });
  const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1:${settings.localPort}\r\n`;
  socket.write(
    `${head}content-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n`,
  );
  // It has begun to read.
  expect(String(((await once(socket, "data")) as [Buffer])[0])).toContain("100 Continue");
  socket.destroy();
  await once(socket, "close");
  expect(await echo()).toBe("echo hello");
});

test("a tunnel to another bastion is not taken for this one", async () => {
  await openTunnel(settings, await newEngine().start(), ROOT);
  const other = { ...settings, bastion: { ...settings.bastion, host: "127.0.0.2" } };
  await expect(openTunnel(other, await newEngine().start(), ROOT)).rejects.toThrow(
    /a tunnel for acme\/test\/main, to another bastion has that port/,
  );
});

test.each([
  [
    "the bastion has another host key",
    () => ({ ...settings.bastion, hostKey: `ssh-rsa ${Buffer.from("another").toString("base64")}` }),
    /SSH to fw-tunnel@127\.0\.0\.1:\d+: .*run the update/s,
  ],
  [
    "the bastion does not answer",
    () => ({ ...settings.bastion, port: 1 }),
    /SSH to fw-tunnel@127\.0\.0\.1:1: .*ECONNREFUSED.*network\.bastion\.from/s,
  ],
])("where %s, the message says what was tried, from where, and what to do", async (_, change, message) => {
  const changed = { ...settings, bastion: change() };
  await openTunnel(changed, await newEngine().start(), ROOT);
  const problem = await reachProblem(changed);
  expect(problem).toMatch(/^The API at .* was tried through the bastion .*, from this machine/);
  expect(problem).toMatch(message);
});

test("where the API does not answer behind the bastion, that is what the message says", async () => {
  const changed = { ...settings, target: { host: "127.0.0.1", port: await freePort() } };
  await openTunnel(changed, await newEngine().start(), ROOT);
  expect(await reachProblem(changed)).toMatch(
    /the bastion 127\.0\.0\.1 could not reach .* Look at the cluster's servers/,
  );
});

test("a machine that does not answer is named with its address, ours, and for how long it was tried", async () => {
  const endpoint = { host: "127.0.0.1", port: await freePort() };
  expect(await bootProblem("server-0", endpoint, { milliseconds: 100 })).toMatch(
    /^server-0 at 127\.0\.0\.1:\d+ was tried from this machine.* for 0\.1 s and does not answer: .*ECONNREFUSED/,
  );
  expect(await bootProblem("server-0", settings.target, { milliseconds: 10_000 })).toBeUndefined();
});
