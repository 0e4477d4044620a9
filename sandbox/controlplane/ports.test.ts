import { createServer, type Server } from "node:net";
import { choosePorts, isFree, lostPort, serverPorts } from "./ports";

test.each<[string, string, { from: number; to: number }]>([
  ["Linux's default", "32768\t60999\n", { from: 10_000, to: 30_000 }],
  ["a range that begins lower", "20000 60999", { from: 10_000, to: 20_000 }],
  ["a range that leaves no room", "1024 65535", { from: 10_000, to: 30_000 }],
  ["no information", "", { from: 10_000, to: 30_000 }],
])("ports lie below the ephemeral ones: %s", (_, text, range) => expect(serverPorts(text)).toEqual(range));

test("six different free ports are chosen", async () => {
  const ports = Object.values<number>({ ...(await choosePorts()) });
  expect(new Set(ports).size).toBe(6);
  for (const port of ports) expect(await isFree(port)).toBe(true);
});

test("ports of the last time are kept, except those that are taken", async () => {
  const wanted = await choosePorts();
  const server = await listen(wanted.apiServer);
  try {
    expect(await isFree(wanted.apiServer)).toBe(false);
    const chosen = await choosePorts(wanted);
    expect({ ...chosen, apiServer: wanted.apiServer }).toEqual(wanted);
    expect(chosen.apiServer).not.toBe(wanted.apiServer);
  } finally {
    server.close();
  }
});

test("the same port is not given twice", async () => {
  const { kwok } = await choosePorts();
  const chosen = await choosePorts({ etcdClient: kwok, scheduler: kwok });
  expect(chosen.etcdClient).toBe(kwok);
  expect(chosen.scheduler).not.toBe(kwok);
});

test.each([
  ['{"level":"fatal","error":"listen tcp 127.0.0.1:2379: bind: address already in use"}', true],
  [
    "E1116 run.go:72] failed to create listener: listen tcp 127.0.0.1:6443: bind: address already in use",
    true,
  ],
  ["Error: unknown flag: --x", false],
])("a lost port is known by the log: %s", (log, lost) => expect(lostPort(log)).toBe(lost));

async function listen(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}
