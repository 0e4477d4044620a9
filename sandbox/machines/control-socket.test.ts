import { mkdirSync, mkdtempSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import os from "node:os";
import path from "node:path";
import { callControlSocket, serveControlSocket, type ControlHandler } from "./control-socket";

const dir = mkdtempSync(path.join(os.tmpdir(), "fleetwright-control-"));
const deep = path.join(dir, "a".repeat(60), "b".repeat(60));
mkdirSync(deep, { recursive: true });
afterAll(() => rm(dir, { recursive: true }));

describe.each([
  ["a short path", path.join(dir, "control.sock")],
  ["a path longer than the kernel takes", path.join(deep, "control.sock")],
])("a control socket at %s", (_, file) => {
  const call = (method: string, target: string, body?: unknown): Promise<unknown> =>
    callControlSocket("The process", file, { method, path: target, body });
  const servers: Server[] = [];
  const serve = async (handler: ControlHandler): Promise<void> => {
    servers.push(await serveControlSocket(file, handler));
  };

  beforeAll(async () => {
    await serve(async ({ method, path: target, body }) => {
      if (target === "/fail") throw new Error("out of order");
      return target === "/echo" ? { method, body } : undefined;
    });
  });
  afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

  test("answers its owner, and nobody else", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await call("PUT", "/echo", { a: 1 })).toEqual({ method: "PUT", body: { a: 1 } });
    expect(await call("GET", "/echo")).toEqual({ method: "GET" });
  });

  test("reports what fails and what is not there", async () => {
    await expect(call("GET", "/fail")).rejects.toThrow("The process refused: out of order");
    await expect(call("GET", "/none")).rejects.toThrow("The process refused: nothing answers GET /none");
  });

  test("replaces the socket that a killed process left", async () => {
    await serve(async () => "once more");
    expect(await call("GET", "/")).toBe("once more");
  });
});
