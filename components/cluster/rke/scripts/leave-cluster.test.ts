import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ASK_AWS_FILE } from "./ask-aws";
import { JOIN_SOURCE_FILE, NODE_KUBECONFIG } from "./join-agent";
import { DRAIN_SECONDS, LEAVE } from "./leave-cluster";

// What the script decides, with programs in the place of kubectl, systemctl and the one that asks AWS, which write down what
// they are asked. That a node leaves is shown on machines, by the drills.
let root: string;
const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};
const program = (file: string, lines: string): void => {
  write(file, `#!/bin/bash\necho "$(basename "$0") $*" >>${root}/asked\n${lines}\n`);
  chmodSync(path.join(root, file), 0o755);
};

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "fleetwright-leave-"));
  write(JOIN_SOURCE_FILE, "REGION=eu GROUP_ENDPOINT=http://127.0.0.1:1 GROUP=web\n");
  write("/var/lib/cloud/data/instance-id", "i-1");
  write(NODE_KUBECONFIG, "");
  program(ASK_AWS_FILE, '[ "$1" = go-on ] || echo Terminated');
  program("/bin/systemctl", "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/**
 * Runs the script with a kubectl of these lines, and gives what it said and asked. Time stands still: only what would be slept
 * counts, tenfold, however slow the machine is.
 */
function leave(kubectl: string): { said: string; asked: string[]; seconds: number } {
  program("/var/lib/rancher/rke2/bin/kubectl", kubectl);
  const places = [JOIN_SOURCE_FILE, ASK_AWS_FILE, "/var/lib/"];
  const script = places.reduce((text, place) => text.replaceAll(place, path.join(root, place)), LEAVE);
  const { stdout, status } = spawnSync(
    "bash",
    [
      "-c",
      `unset SECONDS; SECONDS=0; sleep() { SECONDS=$((SECONDS + 10 * $1)); }; trap 'echo "after $SECONDS"' EXIT\n${script.replace("#!/bin/bash", "")}`,
    ],
    { encoding: "utf8", env: { ...process.env, PATH: `${root}/bin:${process.env.PATH ?? ""}` } },
  );
  expect(status).toBe(0);
  const asked = readFileSync(path.join(root, "asked"), "utf8").trim().split("\n");
  return { said: stdout, asked, seconds: Number(/after (\d+)/.exec(stdout)?.[1]) };
}

const GONE_ON = "fleetwright-aws go-on eu http://127.0.0.1:1 web left i-1";

test("a node without guests leaves at once", () => {
  const { asked, seconds } = leave("");
  expect(seconds).toBeLessThan(30);
  expect(asked.some((line) => line.includes("delete node i-1"))).toBe(true);
  expect(asked.at(-1)).toBe(GONE_ON);
});

test("guests that a budget keeps are asked to go until time is up, and the node leaves then", () => {
  const { asked, seconds } = leave(
    `case "$*" in *"get pods"*) echo "shop web-1 Running ReplicaSet" ;; *eviction*) exit 1 ;; esac`,
  );
  expect(seconds).toBeGreaterThanOrEqual(DRAIN_SECONDS);
  expect(asked.filter((line) => line.includes("web-1/eviction")).length).toBeGreaterThan(10);
  expect(asked.at(-1)).toBe(GONE_ON);
});

test("a cluster that gives no answer is not waited for as long as one whose guests stay", () => {
  const { said, asked, seconds } = leave("exit 1");
  expect(seconds).toBeGreaterThanOrEqual(180);
  expect(seconds).toBeLessThan(DRAIN_SECONDS / 2);
  expect(said).toContain("the cluster gives no answer: leaving it without a drain");
  expect(asked.at(-1)).toBe(GONE_ON);
});

test("an answer in between starts the wait anew", () => {
  // Silent but for every fifth time: 100 s apart.
  const { said, seconds } = leave(
    `n=$(grep -c "get pods" ${root}/asked); case "$*" in *"get pods"*) [ $((n % 5)) = 0 ] && echo "shop web-1 Running ReplicaSet" ;; esac`,
  );
  expect(said).not.toContain("gives no answer");
  expect(seconds).toBeGreaterThanOrEqual(DRAIN_SECONDS);
});

test("a machine that never became a node has nothing to wait for", () => {
  rmSync(path.join(root, NODE_KUBECONFIG));
  const { asked, seconds } = leave("exit 1");
  expect(seconds).toBeLessThan(100);
  expect(asked.at(-1)).toBe(GONE_ON);
});
