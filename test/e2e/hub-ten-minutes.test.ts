// Types what docs/how-to/hub.md says under "Ten minutes", line by line, in a sandbox of its own.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { sandboxLayout } from "../../sandbox/layout";

jest.setTimeout(900_000);

const PROJECT = path.join(__dirname, "../..");
const NAME = `test-${randomBytes(4).toString("hex")}`;
const layout = sandboxLayout(PROJECT, NAME);
const HUB = path.join(layout.hub, "kubeconfigs", "admin.kubeconfig");
const EAST = layout.kubeconfig;

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

function shell(line: string): Promise<Result> {
  const env = { ...process.env, PATH: `${layout.bin}:${process.env.PATH ?? ""}` };
  return new Promise((resolve) => {
    execFile("bash", ["-c", line], { cwd: PROJECT, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

const sandbox = (line: string): Promise<Result> => shell(`npm run -s sandbox -- ${line} --name ${NAME}`);

interface Step {
  command: string;
  /** What the page shows below it. */
  shown: string[];
}

/** The lines of the section that a reader types, for the sandbox of this test, and what they are to print. */
function stepsOfThePage(): Step[] {
  const page = readFileSync(path.join(PROJECT, "docs/how-to/hub.md"), "utf8");
  const section = page.split("\n## ").find((part) => part.startsWith("Ten minutes")) ?? "";
  const blocks = [...section.matchAll(/```console\n([^]*?)```/g)].map(([, block = ""]) => block);
  const steps: Step[] = [];
  for (const line of blocks.join("").split("\n")) {
    const typed = /^\$ (.*)$/.exec(line)?.[1];
    if (typed !== undefined)
      steps.push({
        command: typed
          .replace(/^npm run sandbox -- (.*?)( +#.*)?$/, `npm run sandbox -- $1 --name ${NAME}`)
          .replaceAll(".sandbox/default/", `.sandbox/${NAME}/`),
        shown: [],
      });
    else if (line !== "") steps.at(-1)?.shown.push(line);
  }
  return steps;
}

/** A line without what differs from run to run: widths, ages, versions. */
const likeThePage = (line: string): string =>
  line
    .trim()
    .replace(/ +/g, " ")
    .replace(/ (\d+[smh])+$/, " AGE")
    // Nodes are counted shortly after a cluster is ready.
    .replace(/v1\.\d+\.\d+( \d+)?/, "VERSION");

/** The controllers' process, found by what it was started with and not by what we wrote down. */
function controllersRunning(): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return command.includes(`${layout.hub}/hub-controllers.js`);
      } catch {
        return false;
      }
    });
}

const member = (line: string): Promise<Result> => shell(`kubectl --kubeconfig ${EAST} -n shop ${line}`);
const hub = (line: string): Promise<Result> => shell(`kubectl --kubeconfig ${HUB} ${line}`);

afterAll(async () => {
  await sandbox("reset");
  await rm(layout.lock, { force: true });
});

// The steps of a person's day, in their order; each needs those before it.
test("whoever types what the page says sees what it shows, and a Deployment runs in the member", async () => {
  const steps = stepsOfThePage();
  expect(steps.length).toBeGreaterThan(10);
  const script = steps.map(({ command }, index) => `echo "=== ${index}"\n${command}`).join("\n");
  const { code, stdout, stderr } = await shell(`set -e\n${script}`);
  expect({ code, said: code === 0 ? "" : `${stdout}\n${stderr}` }).toEqual({ code: 0, said: "" });
  const printed = stdout.split(/^=== \d+\n/m).slice(1);
  expect(printed).toHaveLength(steps.length);
  for (const [index, { command, shown }] of steps.entries()) {
    // The command that registers speaks on the error stream.
    const all = `${printed[index] ?? ""}\n${command.startsWith("npm ") ? stderr : ""}`;
    const lines = all.split("\n").map(likeThePage);
    expect({ command, lines }).toEqual({
      command,
      lines: expect.arrayContaining(shown.map(likeThePage)) as string[],
    });
  }
  expect((await member("get pods --no-headers")).stdout.match(/1\/1 +Running/g)).toHaveLength(2);
  expect((await member("get configmap web -o jsonpath={.data.greeting}")).stdout).toBe("hello");
});

test("what changes on the hub changes in the member, and what is deleted there goes", async () => {
  expect((await hub("-n shop scale deployment web --replicas 3")).code).toBe(0);
  await waitFor(
    "the status of three",
    async () => (await hub("-n shop get deployment web -o jsonpath={.status.readyReplicas}")).stdout === "3",
    { timeoutMs: 120_000 },
  );
  // It is gone on the hub only when it is in the member.
  expect((await hub("-n shop delete configmap web --timeout=60s")).code).toBe(0);
  expect((await member("get configmap web")).stderr).toContain("not found");
});

test("the controllers are a process of the sandbox: shown, logged, healed and stopped with it", async () => {
  const [pid = 0, ...more] = controllersRunning();
  expect(more).toEqual([]);
  expect((await sandbox("hub status")).stdout).toMatch(new RegExp(`✓ hub-controllers +process ${pid} `));
  expect((await sandbox("logs hub-controllers --lines 1")).stdout).toContain('"program":"hub"');
  process.kill(pid, "SIGKILL");
  const shown = await sandbox("status");
  expect(shown.stdout).toMatch(/NOT READY[^]*✗ hub-controllers .*not running/);
  const server = /✓ hub-apiserver +process (\d+)/.exec(shown.stdout)?.[1];
  expect((await sandbox("hub")).code).toBe(0);
  expect((await sandbox("hub status")).stdout).toMatch(new RegExp(`✓ hub-apiserver +process ${server} `));
  expect(controllersRunning()).toHaveLength(1);
});

test("a hub that is to be bare loses its controllers and nothing else, and down leaves no process", async () => {
  expect((await sandbox("hub --bare")).stdout).not.toContain("hub-controllers");
  expect(controllersRunning()).toEqual([]);
  expect((await hub("-n shop get deployment web")).code).toBe(0);
  expect((await sandbox("hub")).stdout).toContain("✓ hub-controllers");
  expect((await sandbox("hub down")).code).toBe(0);
  expect(controllersRunning()).toEqual([]);
  expect((await sandbox("hub status")).stdout).toContain("stopped, its data is kept");
});
