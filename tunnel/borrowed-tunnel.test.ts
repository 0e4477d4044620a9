// A command that needs the API of a cluster behind a bastion, as `npm run access -- --stack` does.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { freePort } from "../lib/port";
import { borrowTunnel } from "./borrowed-tunnel";
import { Engines } from "./engines";
import { reachProblem } from "./reach";
import type { TunnelSettings } from "./settings";
import { TestBastion } from "./testing/bastion";
import { Tunnel } from "./tunnel";

let bastion: TestBastion;
let target: Server;
let settings: TunnelSettings;

beforeAll(async () => {
  bastion = new TestBastion();
  const port = await bastion.listen();
  target = createServer((socket) => socket.on("error", () => {}).end());
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
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
afterAll(async () => {
  await bastion.close();
  await new Promise((resolve) => target.close(resolve));
});

const isOpen = async (): Promise<boolean> => {
  const socket = connect({ host: "127.0.0.1", port: settings.localPort });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

test("has a tunnel of its own, which goes with it", async () => {
  const borrowed = await borrowTunnel(settings);
  expect(await reachProblem(settings)).toBeUndefined();
  expect(bastion.logins).toBe(1);
  await borrowed.close();
  expect(await isOpen()).toBe(false);
});

test("uses the tunnel that an update has open, and leaves it open", async () => {
  const opened = new Tunnel(settings, new Engines());
  await opened.listen();
  try {
    const borrowed = await borrowTunnel(settings);
    expect(await reachProblem(settings)).toBeUndefined();
    await borrowed.close();
    expect(await reachProblem(settings)).toBeUndefined();
  } finally {
    await opened.close();
  }
});

test("does not take a tunnel to another bastion for its own", async () => {
  const other = await borrowTunnel({ ...settings, identity: "acme/other/main" });
  await expect(borrowTunnel(settings)).rejects.toThrow(
    /a tunnel for acme\/other\/main, to another bastion has that port/,
  );
  await other.close();
});

test("says so where another program has the port", async () => {
  const sockets: Socket[] = [];
  const other = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
  });
  other.listen(settings.localPort, "127.0.0.1");
  await once(other, "listening");
  await expect(borrowTunnel(settings)).rejects.toThrow(/another program has that port\. End it, or set/);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => other.close(resolve));
});

test("says what was tried where the API is not reached, and closes the tunnel", async () => {
  const target = { host: "127.0.0.1", port: await freePort() };
  await expect(borrowTunnel({ ...settings, target })).rejects.toThrow(
    /was tried through the bastion .* could not reach .* Look at the cluster's servers/,
  );
  expect(await isOpen()).toBe(false);
});
