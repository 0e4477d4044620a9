// The built-in installer of RKE2, run by a real shell against a real server.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certifiedKey, daysFromNow } from "../../../sandbox/controlplane/certificate";
import { RKE2_INSTALLER } from "./scripts";

const VERSION = "v1.35.7+rke2r1";
let folder: string;
let tarball: Buffer;
let digest: string;
let secure: https.Server;
let plain: http.Server;
let redirects = false;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetwright-installer-"));
  mkdirSync(join(folder, "tree/bin"), { recursive: true });
  writeFileSync(join(folder, "tree/bin/rke2"), "#!/bin/sh\n", { mode: 0o755 });
  execFileSync("tar", ["-czf", join(folder, "tarball"), "-C", join(folder, "tree"), "bin"]);
  tarball = readFileSync(join(folder, "tarball"));
  digest = `sha256:${createHash("sha256").update(tarball).digest("hex")}`;
  const { certificate, key } = await certifiedKey({
    subject: { commonName: "localhost" },
    usages: ["serverAuth", "digitalSignature"],
    names: { dns: ["localhost"], ips: ["127.0.0.1"] },
    notAfter: daysFromNow(1),
  });
  writeFileSync(join(folder, "ca.crt"), certificate);
  plain = http.createServer((_request, response) => response.end(tarball));
  secure = https.createServer({ cert: certificate, key }, ({ url = "" }, response) => {
    if (redirects) response.writeHead(302, { location: `${addressOf(plain)}${url}` }).end();
    else response.end(tarball);
  });
  await Promise.all(
    [plain, secure].map((server) => new Promise<void>((done) => server.listen(0, "localhost", done))),
  );
});
beforeEach(() => {
  redirects = false;
  rmSync(join(folder, "prefix"), { recursive: true, force: true });
});
afterAll(async () => {
  await Promise.all([plain, secure].map((server) => new Promise((done) => server.close(done))));
  rmSync(folder, { recursive: true, force: true });
});

function addressOf(server: http.Server | https.Server): string {
  const { port } = server.address() as AddressInfo;
  return `${server === secure ? "https" : "http"}://localhost:${port}`;
}

/** Runs the installer with another prefix; no service of RKE2 is there to be restarted, which it says last. */
async function install(...args: string[]): Promise<string> {
  const file = join(folder, "installer");
  writeFileSync(file, RKE2_INSTALLER.replace("PREFIX=/usr/local", `PREFIX=${join(folder, "prefix")}`));
  const env = { PATH: process.env.PATH, CURL_CA_BUNDLE: join(folder, "ca.crt") };
  const child = spawn("bash", [file, VERSION, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  return said;
}
const installed = (): boolean => existsSync(join(folder, "prefix/bin/rke2"));

test("installs a tarball that has the digest, by HTTPS", async () => {
  expect(await install(addressOf(secure), digest)).toContain(`installed RKE2 ${VERSION}`);
  expect(installed()).toBe(true);
});

test.each<[string, () => string[], string]>([
  ["without a digest", () => [addressOf(secure), ""], "the ClusterUpgrade names no digest"],
  ["with another digest", () => [addressOf(secure), `sha256:${"0".repeat(64)}`], "instead of 000000"],
  ["by plain HTTP", () => [addressOf(plain), digest], "is not https. Set the agent's --rke2-releases"],
])("refuses to install anything %s", async (_what, args, words) => {
  expect(await install(...args())).toContain(words);
  expect(installed()).toBe(false);
});

test("does not follow a redirect to plain HTTP", async () => {
  redirects = true;
  expect(await install(addressOf(secure), digest)).toContain("cannot be downloaded");
  expect(installed()).toBe(false);
});

test("takes plain HTTP in the sandbox, which says so, but no other digest there either", async () => {
  expect(await install(addressOf(plain), `sha256:${"0".repeat(64)}`, "insecure")).toContain(
    "instead of 000000",
  );
  expect(installed()).toBe(false);
  expect(await install(addressOf(plain), digest, "insecure")).toContain(`installed RKE2 ${VERSION}`);
});
