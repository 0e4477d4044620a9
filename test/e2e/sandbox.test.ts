import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { sandboxLayout } from "../../sandbox/layout";
import { ExitCode } from "../../lib/failure";
import { tracesOf } from "../../sandbox/machines/testing/traces";

const PROJECT = path.join(__dirname, "../..");
// A name of its own for each run: two runs in one checkout do not meet.
const NAME = `test-${randomBytes(4).toString("hex")}`;
const layout = sandboxLayout(PROJECT, NAME);

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: PROJECT, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

const sandbox = (...args: string[]): Promise<Result> =>
  run("npm", ["run", "-s", "sandbox", "--", ...args, "--name", NAME]);

/** What a shell gets by evaluating `env`, as a new user does it. */
const inSandboxShell = (line: string): Promise<Result> =>
  run("bash", ["-c", `eval "$(npm run -s sandbox -- env --name ${NAME})" && ${line}`]);

/** The processes of this sandbox, found by what they were started with and not by what we wrote down. */
function processes(): string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return command.includes(layout.folder) ? [`${pid} ${command.slice(0, 60)}`] : [];
      } catch {
        return [];
      }
    });
}

interface Status {
  name: string;
  controlPlane: {
    ready: boolean;
    components: { name: string; pid: number; ready: boolean; problem?: string }[];
  } | null;
  cloud: { process: { pid: number }; endpoint: string; network?: string; reason?: string } | null;
}
const wholeStatus = async (): Promise<Status | undefined> =>
  (JSON.parse((await sandbox("status", "--json")).stdout) as Status[])[0];
const status = async (): Promise<Status["controlPlane"]> => (await wholeStatus())?.controlPlane ?? null;

afterAll(async () => {
  await sandbox("reset");
  await rm(layout.lock, { force: true });
});

/** An update that found everything as it was. */
const NO_CHANGE = /Resources:\n +\d+ unchanged\n/;

// The steps of a person's day, in their order; each needs those before it.
describe("the sandbox", () => {
  test("is not there before it is brought up, and says what to type", async () => {
    const asked = await sandbox("env");
    expect(asked.code).toBe(ExitCode.failed);
    expect(asked.stderr).toContain(`npm run sandbox -- up --name ${NAME}`);
    expect((await sandbox("status")).stdout).toContain("does not exist");
  });

  test("starts with the stack created and says what to type next", async () => {
    const before = await readFile(path.join(PROJECT, "Pulumi.existing.yaml"), "utf8");
    const started = await sandbox("start", "--stack", "existing");
    expect(started.stderr).toMatch(/✓ kube-apiserver +\d/);
    expect(started.stderr).toMatch(/✓ cloud \(ready at \S+\) +\d/);
    expect(started.stderr.match(/✓ providers \(aws 7.*tls 5/g)).toHaveLength(1);
    expect(started.stdout).toMatch(/Resources:\n +\+ \d+ created\n\n/);
    expect(started.stdout).toContain(`eval "$(npm run -s sandbox -- env --name ${NAME})"`);
    // What the provider says of pods that are still starting is progress.
    expect(started.stdout).not.toMatch(/warning: (?!\[)/i);
    expect(started.code).toBe(0);
    expect(await readFile(path.join(PROJECT, "Pulumi.existing.yaml"), "utf8")).toBe(before);
  });

  test("gives a shell in which plain pulumi and kubectl work", async () => {
    const preview = await inSandboxShell("pulumi preview --non-interactive --expect-no-changes");
    expect(preview.stdout).toMatch(NO_CHANGE);
    expect(preview.code).toBe(0);
    const nodes = await inSandboxShell("kubectl get nodes --no-headers");
    expect(nodes.stdout.trim().split("\n")).toHaveLength(3);
    expect(nodes.stdout).toMatch(/^node-1 +Ready/m);
    const map = await inSandboxShell(
      "kubectl get configmap -n fleetwright-system fleetwright-stack -o jsonpath='{.metadata.labels}{.data.stack}'",
    );
    expect(map.stdout).toContain('"fleetwright.dev/environment":"existing"');
    expect(map.stdout).toMatch(/existing$/);
  });

  test("has an AWS API that AWS's own tools and the engine find, and nobody else's", async () => {
    const asked = await inSandboxShell(
      `in-sandbox node -e 'const { EC2 } = require("@aws-sdk/client-ec2"); new EC2({}).describeAvailabilityZones().then((a) => console.log(a.AvailabilityZones.length))'`,
    );
    // Three zones, and the Local Zone that is opted in.
    expect(asked.stdout.trim()).toBe("4");
    const elsewhere = await inSandboxShell('echo "[$AWS_PROFILE] $AWS_ENDPOINT_URL"');
    expect(elsewhere.stdout).toBe(`[] ${(await wholeStatus())?.cloud?.endpoint ?? ""}\n`);
  });

  test("brings its cloud back when that was killed", async () => {
    const before = (await wholeStatus())?.cloud;
    if (!before) throw new Error("no cloud runs");
    process.kill(before.process.pid, "SIGKILL");
    const shown = await sandbox("status");
    expect(shown.stdout).toMatch(/NOT READY[^]*✗ cloud: not running/);
    expect(shown.code).toBe(ExitCode.failed);
    expect((await sandbox("up")).code).toBe(0);
    const after = (await wholeStatus())?.cloud;
    expect({ ...after, process: undefined }).toMatchObject({ endpoint: before.endpoint });
    expect(after?.process.pid).not.toBe(before.process.pid);
  });

  test("names its machines when another one is asked for", async () => {
    const asked = await sandbox("shell", "nobody");
    expect(asked.stderr).toContain('There is no machine "nobody". The cloud has no machines.');
    expect(asked.code).toBe(ExitCode.usage);
  });

  test("changes nothing when it is started again", async () => {
    const running = (await status())?.components.map(({ pid }) => pid);
    const again = await sandbox("start", "--stack", "existing");
    expect(again.stdout).toMatch(NO_CHANGE);
    expect(again.code).toBe(0);
    expect((await status())?.components.map(({ pid }) => pid)).toEqual(running);
  });

  test("keeps its secrets from other users of the machine", async () => {
    const found = await run("find", [layout.folder, "-name", "*.key", "-perm", "/077"]);
    expect(found.stdout).toBe("");
    expect((await run("stat", ["-c", "%a", layout.folder])).stdout.trim()).toBe("700");
  });

  test("shows a component that died, and up heals it", async () => {
    const scheduler = (await status())?.components.find(({ name }) => name === "kube-scheduler");
    if (scheduler === undefined) throw new Error("no scheduler runs");
    process.kill(scheduler.pid, "SIGKILL");
    const shown = await sandbox("status");
    expect(shown.stdout).toMatch(/NOT READY/);
    expect(shown.stdout).toMatch(/✗ kube-scheduler.*not running/);
    expect(shown.code).toBe(ExitCode.failed);
    expect((await sandbox("up")).code).toBe(0);
    expect((await status())?.ready).toBe(true);
  });

  test("prints the logs of one component, and names them all for a wrong one", async () => {
    const logs = await sandbox("logs", "etcd", "--lines", "5");
    expect(logs.stdout.trim().split("\n")).toHaveLength(5);
    const wrong = await sandbox("logs", "nonsense");
    expect(wrong.stderr).toMatch(/no log of "nonsense".*etcd.*kube-apiserver/);
    expect(wrong.code).toBe(ExitCode.usage);
  });

  test("stops without a process left, and comes back with its data", async () => {
    expect((await sandbox("down")).code).toBe(0);
    expect(processes()).toEqual([]);
    expect(await tracesOf(path.join(layout.cloud, "machines"))).toEqual([]);
    expect((await sandbox("status")).stdout).toContain("stopped, its data is kept");
    const again = await sandbox("start", "--stack", "existing");
    expect(again.stdout).toMatch(NO_CHANGE);
    expect(again.code).toBe(0);
  });

  test("destroys its stack with plain pulumi", async () => {
    const destroyed = await inSandboxShell("pulumi destroy --yes --skip-preview --non-interactive");
    expect(destroyed.stdout).toMatch(/Resources:\n +- \d+ deleted\n/);
    expect((await inSandboxShell("kubectl get namespace fleetwright-system")).stderr).toContain("not found");
  });

  test("is forgotten by reset", async () => {
    expect((await sandbox("reset")).code).toBe(0);
    expect(processes()).toEqual([]);
    expect(existsSync(layout.folder)).toBe(false);
  });
});

describe("a wrong command line", () => {
  test.each([
    [["explode"], /Unknown command "explode".*start, up, status/],
    [["up", "--nodes", "many"], /--nodes must be a whole number, found "many"/],
    [["start", "--stack", "nowhere"], /There is no stack "nowhere"/],
    [["up", "--frobnicate"], /Unknown option '--frobnicate'/],
  ])("%j is refused with the reason", async (args, reason) => {
    const refused = await sandbox(...args);
    expect(refused.stderr).toMatch(reason);
    expect(refused.code).toBe(ExitCode.usage);
  });

  test("a name that is no name is refused", async () => {
    const refused = await run("npm", ["run", "-s", "sandbox", "--", "status", "--name", "../x"]);
    expect(refused.stderr).toMatch(/Invalid sandbox name "\.\.\/x"/);
    expect(refused.code).toBe(ExitCode.usage);
  });
});
