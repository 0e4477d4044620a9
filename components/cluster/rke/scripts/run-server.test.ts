import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JOIN_FILE, runServer, type ServerRun } from "./run-server";
import { packed } from "./unpack-files";

// What the script decides, with programs in the place of systemctl, curl and kubectl that write down what they are asked.
// That it runs a server is shown on machines, by the tests of the sandbox.
/** A text that has these words in it. */
const containing = (words: string): unknown => expect.stringContaining(words);

let root: string;
const place = (path: string): string => join(root, path);
const write = (path: string, text: string): void => {
  mkdirSync(join(place(path), ".."), { recursive: true });
  writeFileSync(place(path), text);
};
const program = (path: string, lines: string): void => {
  write(path, `#!/bin/bash\n${lines}\n`);
  chmodSync(place(path), 0o755);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "fleetwright-run-server-"));
  write("var/lib/rancher/.fleetwright-state", "");
  write("usr/local/share/fleetwright/rke2-version", "v1.35.7+rke2r1");
  program("usr/local/bin/rke2", "");
  program("bin/iptables", "");
  write("state", "inactive");
  write("invocation", "0");
  program(
    "bin/systemctl",
    `cd ${root}; echo "$*" >>asked
case "$*" in
  *is-active*) [ "$(cat state)" = active ] ;;
  *ActiveState*) cat state ;;
  *InvocationID*) cat invocation ;;
  *restart*) echo active >state; echo $(($(cat invocation) + 1)) >invocation ;;
esac`,
  );
  program(
    "bin/curl",
    `case "$*" in *127.0.0.1*) echo pong ;; *"$(cat ${root}/peer 2>/dev/null || echo nobody)":*) echo pong ;; *) exit 7 ;; esac`,
  );
  program(
    "var/lib/rancher/rke2/bin/kubectl",
    `case "$*" in *readyz*) echo ok ;; *'"Ready"'*) echo True ;; esac`,
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const initialised = (): void =>
  void mkdirSync(place("var/lib/rancher/rke2/server/db/etcd/member/wal"), { recursive: true });
const permission = "var/lib/rancher/.fleetwright-may-found";

function run(
  config = "token: a\n",
  change: Partial<ServerRun> = {},
): { code: number | null; out: string; err: string } {
  const text = runServer({
    node: "main-server-0",
    version: "v1.35.7+rke2r1",
    releaseUrl: "http://127.0.0.1:1",
    digest: "",
    registration: "https://lb:9345",
    peers: ["10.0.0.2", "10.0.0.3"],
    cis: false,
    patience: 3,
    steady: 1,
    root,
    ...change,
  });
  const { status, stdout, stderr } = spawnSync("bash", ["-c", text], {
    input: packed([{ path: place("etc/rancher/rke2/config.yaml"), content: config }]),
    encoding: "utf8",
    env: { ...process.env, PATH: `${place("bin")}:${process.env.PATH ?? ""}` },
  });
  return { code: status, out: stdout, err: stderr };
}

const restarts = (): number =>
  readFileSync(place("asked"), "utf8")
    .split("\n")
    .filter((line) => line.includes("restart")).length;
const joinsAt = (): string | undefined =>
  existsSync(place(JOIN_FILE)) ? readFileSync(place(JOIN_FILE), "utf8") : undefined;

it("founds a cluster with permission, when nobody of it answers", () => {
  write(permission, "");
  expect(run()).toMatchObject({ code: 0, out: containing("founding a new cluster") });
  expect(joinsAt()).toBeUndefined();
});

it("founds no second cluster while another server runs one", () => {
  write(permission, "");
  write("peer", "10.0.0.3");
  const { code, err } = run();
  expect([code, err]).toEqual([
    1,
    expect.stringContaining("may found a new cluster, but 10.0.0.3 already runs one"),
  ]);
  expect(existsSync(place("asked")) ? restarts() : 0).toBe(0);
});

it("joins without permission, also with no data at all", () => {
  expect(run().code).toBe(0);
  expect(joinsAt()).toBe("server: https://lb:9345\n");
});

it("always has an address to join at once it has data, and its permission is used up", () => {
  write(permission, "");
  initialised();
  expect(run().code).toBe(0);
  expect(joinsAt()).toBe("server: https://lb:9345\n");
  expect(existsSync(place(permission))).toBe(false);
});

it("restarts only when something changed", () => {
  expect([run().code, restarts()]).toEqual([0, 1]);
  expect([run().code, restarts()]).toEqual([0, 1]);
  expect([run("token: b\n").code, restarts()]).toEqual([0, 2]);
  expect(readFileSync(place("etc/rancher/rke2/config.yaml"), "utf8")).toBe("token: b\n");
});

it("lets a start go on that an earlier update began", () => {
  run();
  write("state", "activating");
  const { code, err } = run();
  expect([code, err]).toEqual([
    1,
    expect.stringContaining("Gave up after 3 s waiting for main-server-0 to be well"),
  ]);
  expect(restarts()).toBe(1);
});

it("is refused without its state volume", () => {
  rmSync(place("var/lib/rancher/.fleetwright-state"));
  expect(run()).toMatchObject({
    code: 1,
    err: containing("is not the state volume of this server"),
  });
});

describe("a restart of a server that runs", () => {
  const members = (count: number): string =>
    Array.from({ length: count }, (_, index) => `main-server-${index} 10.0.0.${index + 1}`).join("\\n");
  /** Servers of which those at some addresses are not well. */
  const cluster = (count: number, ...unwell: string[]): void => {
    const away = unwell.map((address) => `*https://${address}:6443*readyz*) exit 1 ;;`).join(" ");
    program(
      "var/lib/rancher/rke2/bin/kubectl",
      `case "$*" in *"get nodes"*) printf '${members(count)}\\n' ;; ${away} *readyz*) echo ok ;; *'"Ready"'*) echo True ;; esac`,
    );
  };

  it.each([
    ["of three while all others are well", 3, [], 2],
    ["of three while another one is not", 3, ["10.0.0.3"], 1],
    ["of five while another one is not", 5, ["10.0.0.3"], 2],
    ["of five while two others are not", 5, ["10.0.0.3", "10.0.0.5"], 1],
    ["of two, as while a cluster is built", 2, [], 2],
  ])("happens only if it leaves a majority: %s", (_what, count, unwell, expected) => {
    initialised();
    cluster(count);
    expect(run().code).toBe(0);
    cluster(count, ...unwell);
    const { code, err } = run("token: b\n", { peerPatience: 1 });
    expect(restarts()).toBe(expected);
    if (expected === 2) expect(code).toBe(0);
    else
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(
          /main-server-2 \(10\.0\.0\.3\).*Restarting main-server-0 as well would lose the majority/,
        ),
      ]);
  });

  it("happens in any case where its own API does not answer: it has nothing to lose", () => {
    initialised();
    cluster(3);
    run();
    program(
      "var/lib/rancher/rke2/bin/kubectl",
      `if [ "$(cat ${root}/invocation)" = 1 ]; then exit 1; fi
case "$*" in *readyz*) echo ok ;; *'"Ready"'*) echo True ;; esac`,
    );
    expect([run("token: b\n").code, restarts()]).toEqual([0, 2]);
  });
});

it("is not well while its member of etcd does not vote", () => {
  program(
    "var/lib/rancher/rke2/bin/kubectl",
    `case "$*" in *readyz*) echo ok ;; *'"Ready"'*) echo True ;; *EtcdIsVoter*) echo False ;; esac`,
  );
  expect(run().code).toBe(1);
});

it("prints nothing of its files", () => {
  const { out, err } = run("token: hunter2\n");
  expect(out + err).not.toContain("hunter2");
});
