import { mkdtemp, rm, writeFile } from "node:fs/promises";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certifiedKey, daysFromNow } from "../../sandbox/controlplane/certificate";
import { waitFor } from "../../lib/deadline";
import { Metrics } from "./metrics";
import { Server } from "./server";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fleetwright-server-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lays a new pair into the folder, as the kubelet does for a mounted Secret; gives the certificate. */
async function lay(): Promise<string> {
  const { certificate, key } = await certifiedKey({
    subject: { commonName: "server" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: ["127.0.0.1"] },
    notAfter: daysFromNow(1),
  });
  await writeFile(join(folder, "tls.key"), key, { mode: 0o600 });
  await writeFile(join(folder, "tls.crt"), certificate);
  return certificate;
}

const ask = (port: number, ca: string): Promise<string> =>
  new Promise((resolve) => {
    https
      .get({ host: "127.0.0.1", port, path: "/healthz", ca, agent: false }, (response) => {
        response.resume();
        resolve(String(response.statusCode));
      })
      .on("error", (error) => resolve(error.message));
  });

test("without a folder it answers by HTTP", async () => {
  const server = new Server({ port: 0, host: "127.0.0.1", metrics: new Metrics() });
  const port = await server.listen();
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  await server.close();
});

test("with one it answers by HTTPS only, and serves a new certificate without a restart", async () => {
  const first = await lay();
  const options = { port: 0, host: "127.0.0.1", metrics: new Metrics(), tls: folder, rereadMs: 20 };
  const server = new Server(options);
  const port = await server.listen();
  expect(await ask(port, first)).toBe("200");
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  // Half of a pair changes nothing. The server looks by a timer of this process, which comes before the test's own.
  await writeFile(join(folder, "tls.key"), "no key");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await ask(port, first)).toBe("200");
  const second = await lay();
  await waitFor("the new certificate", async () => (await ask(port, second)) === "200", {
    timeoutMs: 30_000,
  });
  expect(await ask(port, first)).not.toBe("200");
  await server.close();
});

test("a folder without a certificate is an error at the start, with the file's name", () => {
  const options = { metrics: new Metrics(), tls: join(folder, "nothing") };
  expect(() => new Server(options)).toThrow(/nothing\/tls\.crt/);
});
