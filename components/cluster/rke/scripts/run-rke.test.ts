import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packed } from "./unpack-files";
import { RKE_PROGRAM, runRke } from "./run-rke";

// A whole `rke up` needs Docker and images that cannot be had here. So a program in its place plays how it ends: these are
// tests of the runner's script, not of RKE.
/** A text that has these words in it. */
const containing = (words: string): unknown => expect.stringContaining(words);

let root: string;
const place = (path: string): string => join(root, path);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "fleetwright-run-rke-"));
  for (const folder of ["usr/local/bin", "var/lib/rancher/rke"])
    mkdirSync(place(folder), { recursive: true });
  writeFileSync(place("var/lib/rancher/.fleetwright-state"), "");
  writeFileSync(place("usr/local/bin/rke.version"), RKE_PROGRAM);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function play(lines: string): void {
  writeFileSync(place("usr/local/bin/rke"), `#!/bin/bash\n${lines}\n`, { mode: 0o755 });
}

function run(patience = 20): { code: number | null; out: string; err: string } {
  const files = packed([{ path: place("var/lib/rancher/rke/cluster.yml"), content: "nodes: []\n" }]);
  const text = runRke({ releaseUrl: "http://127.0.0.1:1", digest: "", patience, root });
  const { status, stdout, stderr } = spawnSync("bash", ["-c", text], { input: files, encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

const DONE = 'echo "Finished building Kubernetes cluster successfully"';
const allowed = (): void => writeFileSync(place("var/lib/rancher/.fleetwright-may-found"), "");

it("founds a cluster with permission, which is used up", () => {
  allowed();
  play(`echo "$@" >args; echo state >cluster.rkestate; ${DONE}`);
  expect(run()).toMatchObject({ code: 0, out: containing("in the described shape") });
  expect(readFileSync(place("var/lib/rancher/rke/args"), "utf8")).toBe("up --config cluster.yml\n");
  expect(existsSync(place("var/lib/rancher/.fleetwright-may-found"))).toBe(false);
  expect(run().code).toBe(0);
});

it("is refused without the state file of a cluster that exists", () => {
  play(`touch ran; ${DONE}`);
  const { code, err } = run();
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/cluster.rkestate is missing: .*rke util get-state-file/),
  ]);
  expect(existsSync(place("var/lib/rancher/rke/ran"))).toBe(false);
});

it("shows the end of what rke said when it failed", () => {
  allowed();
  play("echo 'Provisioning incomplete'; exit 1");
  const { code, err } = run();
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/Provisioning incomplete[\s\S]*rke up ended with 1/),
  ]);
  expect(existsSync(place("var/lib/rancher/.fleetwright-may-found"))).toBe(true);
});

it("takes a node that could not be reached for an error, never for one that is gone", () => {
  allowed();
  play(`echo 'Removing host [10.0.0.9] from node lists'; ${DONE}`);
  const { code, err } = run();
  expect([code, err]).toEqual([1, expect.stringMatching(/\[10\.0\.0\.9\][\s\S]*They are not gone/)]);
});

it("goes on when the login ends, and a second one waits for it", () => {
  allowed();
  play(`echo x >>times; echo state >cluster.rkestate; while [ ! -e go ]; do sleep 0.1; done; ${DONE}`);
  expect(run(1)).toMatchObject({
    code: 1,
    err: containing("Gave up after 1 s waiting for rke up"),
  });
  writeFileSync(place("var/lib/rancher/rke/go"), "");
  expect(run()).toMatchObject({ code: 0 });
  expect(readFileSync(place("var/lib/rancher/rke/times"), "utf8").split("\n").length - 1).toBeLessThanOrEqual(
    2,
  );
});

it("is refused where the state volume is missing", () => {
  rmSync(place("var/lib/rancher/.fleetwright-state"));
  play(DONE);
  expect(run()).toMatchObject({
    code: 1,
    err: containing("is not the state volume of the runner"),
  });
});
