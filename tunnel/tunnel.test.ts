import { once } from "node:events";
import { createServer, type Http2Server } from "node:http2";
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

const ROOT = path.join(__dirname, "..");
let bastion: TestBastion;
let target: Server;
let settings: TunnelSettings;
const engines: Engine[] = [];
const sockets = new Set<Socket>();

/** The engine as the tunnel knows it: a server of HTTP/2 that ends when the engine does. */
class Engine {
  readonly #server: Http2Server = createServer();
  readonly #sessions = new Set<{ destroy: () => void }>();

  async start(): Promise<string> {
    this.#server.on("session", (session) => this.#sessions.add(session));
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    engines.push(this);
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get watchers(): number {
    return this.#sessions.size;
  }

  end(): void {
    for (const session of this.#sessions) session.destroy();
    this.#server.close();
  }
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

async function echo(): Promise<string> {
  const [code, socket] = await through(settings.localPort, settings.target);
  expect(code).toBe(0);
  socket.write("hello");
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return data.toString();
}

test("a tunnel carries connections through the bastion, and ends with the engine that it was opened for", async () => {
  const engine = new Engine();
  await openTunnel(settings, await engine.start(), ROOT);
  expect(await reachProblem(settings)).toBeUndefined();
  expect(await echo()).toBe("echo hello");
  expect(bastion.logins).toBe(1);
  engine.end();
  await gone();
});

test("two runs share it, and the last one to end takes it along", async () => {
  const [first, second] = [new Engine(), new Engine()];
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
  await openTunnel(settings, await new Engine().start(), ROOT);
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
  await openTunnel(settings, await new Engine().start(), ROOT);
  expect(await echo()).toBe("echo hello");
  bastion.drop();
  await waitFor("a second login", async () => (await echo()) === "echo hello" && bastion.logins === 2, {
    timeoutMs: 30_000,
  });
});

test("a port that somebody else has is an error that says what to set", async () => {
  const other = createTcpServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"));
  await new Promise<void>((resolve) => other.listen(settings.localPort, "127.0.0.1", resolve));
  await expect(openTunnel(settings, await new Engine().start(), ROOT)).rejects.toThrow(
    /another program has that port\. End it, or set network\.bastion\.localPort/,
  );
  other.close();
});

test("a tunnel to another bastion is not taken for this one", async () => {
  await openTunnel(settings, await new Engine().start(), ROOT);
  const other = { ...settings, bastion: { ...settings.bastion, host: "127.0.0.2" } };
  await expect(openTunnel(other, await new Engine().start(), ROOT)).rejects.toThrow(
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
  await openTunnel(changed, await new Engine().start(), ROOT);
  const problem = await reachProblem(changed);
  expect(problem).toMatch(/^The API at .* was tried through the bastion .*, from this machine/);
  expect(problem).toMatch(message);
});

test("where the API does not answer behind the bastion, that is what the message says", async () => {
  const changed = { ...settings, target: { host: "127.0.0.1", port: await freePort() } };
  await openTunnel(changed, await new Engine().start(), ROOT);
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
