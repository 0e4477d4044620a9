import { spawn, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../shell";
import { INSTALL_RKE2 } from "../../../../lib/node-scripts/install-rke2";
import { REPORT } from "./report";

let folder: string;
let server: Server;
let tarball: Buffer;
let sums: string;
const asked: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetwright-install-"));
  mkdirSync(join(folder, "tree/bin"), { recursive: true });
  writeFileSync(join(folder, "tree/bin/rke2"), "#!/bin/sh\n", { mode: 0o755 });
  execFileSync("tar", ["-czf", join(folder, "tarball"), "-C", join(folder, "tree"), "bin"]);
  tarball = readFileSync(join(folder, "tarball"));
  sums = `${"0".repeat(64)}  rke2.linux-amd64.txt\n${digest()}  rke2.linux-amd64.tar.gz\n`;
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url?.endsWith(".tar.gz") === true) response.end(tarball);
    else if (request.url?.endsWith("sha256sum-amd64.txt") === true) response.end(sums);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const digest = (): string => createHash("sha256").update(tarball).digest("hex");

async function install(
  version: string,
  pinned = "",
): Promise<{ code: number | null; out: string; err: string }> {
  const { port } = server.address() as AddressInfo;
  const text = script(
    {
      VERSION: version,
      DIGEST: pinned,
      PREFIX: join(folder, "prefix"),
      RELEASE_URL: `http://127.0.0.1:${port}/releases`,
    },
    REPORT,
    INSTALL_RKE2,
    "install_rke2",
  );
  const child = spawn("bash", ["-c", text], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

const installed = (): boolean => existsSync(join(folder, "prefix/bin/rke2"));

it("installs a version from its place, once", async () => {
  expect(await install("v1.35.7+rke2r1")).toEqual({
    code: 0,
    out: "installed RKE2 v1.35.7+rke2r1\n",
    err: "",
  });
  expect(asked).toEqual([
    "/releases/v1.35.7%2Brke2r1/rke2.linux-amd64.tar.gz",
    "/releases/v1.35.7%2Brke2r1/sha256sum-amd64.txt",
  ]);
  expect(installed()).toBe(true);
  expect(await install("v1.35.7+rke2r1")).toEqual({ code: 0, out: "", err: "" });
  expect(asked).toHaveLength(2);
});

it("believes a pinned digest instead of the sum file", async () => {
  sums = "";
  expect((await install("v1.35.7+rke2r1", digest())).code).toBe(0);
  expect(asked).toEqual(["/releases/v1.35.7%2Brke2r1/rke2.linux-amd64.tar.gz"]);
});

it.each([
  ["the pinned digest is another", "f".repeat(64), undefined],
  ["the sum file says another", "", `${"f".repeat(64)}  rke2.linux-amd64.tar.gz\n`],
  ["the sum file says nothing", "", ""],
])("installs nothing when %s", async (_when, pinned, other) => {
  if (other !== undefined) sums = other;
  const { code, err } = await install("v1.35.7+rke2r1", pinned);
  expect(code).toBe(1);
  expect(err).toMatch(/has the digest [0-9a-f]{64} instead of .*Nothing was installed/);
  expect(installed()).toBe(false);
});

it.each([
  ["v1.34.10+rke2r1", "v1.35.7+rke2r1", 0, ""],
  ["v1.35.4+rke2r1", "v1.35.7+rke2r1", 0, ""],
  ["v1.34.10+rke2r1", "v1.36.3+rke2r1", 1, "cannot go to v1.36.3+rke2r1 in one step"],
  ["v1.35.7+rke2r1", "v1.34.10+rke2r1", 1, "cannot go back to v1.34.10+rke2r1"],
])("from %s to %s ends with %d", async (from, to, code, message) => {
  await install(from);
  const result = await install(to);
  expect([result.code, result.err.includes(message)]).toEqual([code, true]);
  expect(readFileSync(join(folder, "prefix/share/fleetwright/rke2-version"), "utf8")).toBe(
    code === 0 ? to : from,
  );
});

it("says where it tried when the place does not answer", async () => {
  server.removeAllListeners("request").on("request", (_request, response) => response.writeHead(404).end());
  const { code, err } = await install("v1.35.7+rke2r1");
  expect(code).toBe(1);
  expect(err).toContain(
    "/releases/v1.35.7%2Brke2r1/rke2.linux-amd64.tar.gz cannot be downloaded; see releaseUrl.",
  );
});
