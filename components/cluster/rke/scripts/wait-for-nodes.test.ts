import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitForNodes } from "./wait-for-nodes";

// What the script decides, with a program in the place of kubectl that gives these lines.
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "fleetwright-wait-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

function wait(...nodes: string[]): { code: number | null; out: string; err: string } {
  const kubectl = path.join(folder, "kubectl");
  writeFileSync(kubectl, `#!/bin/sh\ncat <<'END'\n${nodes.join("\n")}\nEND\n`);
  chmodSync(kubectl, 0o755);
  const script = waitForNodes({ pool: "web", generation: "g2", min: 2, max: 2, patience: 0 });
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["-c", script.replace("/var/lib/rancher/rke2/bin/kubectl", kubectl)],
    { encoding: "utf8" },
  );
  return { code: status, out: stdout, err: stderr };
}

const good = (name: string): string => `${name} g2 True ${minutesAgo(60)}`;

it("is content with as many Ready nodes of the generation as there should be", () => {
  expect(wait(good("a"), good("b"))).toEqual({
    code: 0,
    out: "2 nodes of the pool web are Ready\n",
    err: "",
  });
});

it("does not wait for a node whose machine is gone", () => {
  const { code, out } = wait(good("a"), good("b"), `dead g1 Unknown ${minutesAgo(6)}`);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /^1 nodes of the pool web give no sign any more and were left out.*\n2 nodes .* Ready\n$/,
    ),
  ]);
});

it.each([
  ["gives no sign since a minute only", `c g2 Unknown ${minutesAgo(1)}`],
  ["says itself that it is not Ready", `c g2 False ${minutesAgo(60)}`],
  ["is of an older generation", `c g1 True ${minutesAgo(60)}`],
])("waits where a node %s", (_what, line) => {
  const { code, err } = wait(good("a"), good("b"), line);
  expect(code).toBe(1);
  expect(err).toContain("the pool web should have 2 to 2 Ready nodes of generation g2");
});

it("waits for others in the place of those that are gone", () => {
  expect(wait(good("a"), `dead g2 Unknown ${minutesAgo(60)}`).code).toBe(1);
});
