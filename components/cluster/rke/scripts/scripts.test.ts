import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asRoot, script, shellWord } from "../shell";
import { ASK_AWS } from "./ask-aws";
import { CIS_PREREQUISITES } from "./cis-prerequisites";
import { bindState } from "./bind-state";
import { joinAgent } from "./join-agent";
import { LEAVE } from "./leave-cluster";
import { prepareVolume } from "./prepare-volume";
import { readCaDigest, readKubeconfig } from "./read-cluster";
import { removeMember } from "./remove-member";
import { REPORT } from "./report";
import { runServer } from "./run-server";
import { packed, UNPACK } from "./unpack-files";
import { waitForBoot } from "./wait-for-boot";
import { waitForNodes } from "./wait-for-nodes";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fleetwright-scripts-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function bash(text: string, input = ""): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", text], { input, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

const server = {
  node: "n",
  version: "v1.35.7+rke2r1",
  releaseUrl: "https://example.com",
  digest: "",
  registration: "https://lb:9345",
  peers: ["10.0.0.1", "10.0.0.2"],
  cis: true,
};
const volume = { volume: "vol-1", cluster: "c", member: "m", format: true, found: true, copy: false };

it.each([
  ["wait-for-boot", waitForBoot()],
  ["prepare-volume", prepareVolume(volume)],
  ["bind-state", bindState()],
  ["run-server", runServer(server)],
  ["read-ca-digest", readCaDigest()],
  ["read-kubeconfig", readKubeconfig()],
  ["wait-for-nodes", waitForNodes({ pool: "p", generation: "g", min: 1, max: 1 })],
  ["remove-member", removeMember("n", "https://lb:6443")],
  ["join-agent", joinAgent(CIS_PREREQUISITES)],
  ["leave-cluster", LEAVE],
])("%s is a script that bash understands, and stops at the first error", (_name, text) => {
  expect(spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" }).stderr).toBe("");
  expect(text).toContain("set -euo pipefail");
});

it("the program that asks AWS is one that Python understands", () => {
  const check = "import ast, sys; ast.parse(sys.stdin.read())";
  expect(spawnSync("python3", ["-c", check], { input: ASK_AWS, encoding: "utf8" }).stderr).toBe("");
});

it.each(["plain", "it's", 'a "b" $c `d` \\e', "two\nlines", ""])("quotes %p", (text) => {
  expect(bash(`printf %s ${shellWord(text)}`).out).toBe(text);
  expect(bash(script({ X: text }, 'printf %s "$X"')).out).toBe(text);
});

it("runs a script as root with what it reads", () => {
  expect(asRoot("cat")).toBe("exec sudo -n -- /bin/bash -c 'cat'");
});

describe("unpack", () => {
  const unpack = script({}, REPORT, UNPACK, "unpack");

  it("writes files with their modes and says which were not yet so", () => {
    const file = join(folder, "deep/er/config.yaml");
    const files = packed([{ path: file, content: "token: ümlaut\n" }]);
    expect(bash(unpack, files)).toEqual({ code: 0, out: `${file}\n`, err: "" });
    expect(readFileSync(file, "utf8")).toBe("token: ümlaut\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(bash(unpack, files).out).toBe("");
  });

  it("sees a changed mode and an empty file", () => {
    const file = join(folder, "unit");
    writeFileSync(file, "", { mode: 0o600 });
    expect(bash(unpack, packed([{ path: file, content: "", mode: "0644" }])).out).toBe(`${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it("takes files away", () => {
    const file = join(folder, "old");
    writeFileSync(file, "old");
    expect(bash(unpack, packed([], [file])).out).toBe(`${file}\n`);
    expect(bash(unpack, packed([], [file])).out).toBe("");
  });
});

describe("read-ca-digest", () => {
  it("prints the part before the password, and nothing of the password", () => {
    const digest = `K10${"ab".repeat(32)}`;
    const place = join(folder, "rke2/server");
    bash(`mkdir -p ${shellWord(place)}`);
    writeFileSync(join(place, "token"), `${digest}::server:secret\n`);
    expect(bash(readCaDigest(folder)).out).toBe(digest);
    writeFileSync(join(place, "token"), "secret\n");
    const { code, err } = bash(readCaDigest(folder));
    expect(code).toBe(1);
    expect(err).toMatch(/^Refused: .* is not a token in the secure form/);
    expect(err).not.toContain("secret\n");
  });
});
