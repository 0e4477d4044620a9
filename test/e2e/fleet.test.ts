// The stack `fleet` as a new user tries it: a hub, and two clusters with simulated nodes that the stack makes its members.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { sandboxLayout } from "../../sandbox/layout";

jest.setTimeout(900_000);

const PROJECT = path.join(__dirname, "../..");
const NAME = `test-${randomBytes(4).toString("hex")}`;
const layout = sandboxLayout(PROJECT, NAME);

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

function shell(line: string): Promise<Result> {
  return new Promise((resolve) => {
    execFile("bash", ["-c", line], { cwd: PROJECT, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

const sandbox = (line: string): Promise<Result> => shell(`npm run -s sandbox -- ${line} --name ${NAME}`);
/** What a shell gets by evaluating `env`, as a new user does it. */
const inSandbox = (line: string): Promise<Result> =>
  shell(`eval "$(npm run -s sandbox -- env --name ${NAME})" && ${line}`);
const onHub = (line: string): Promise<Result> =>
  inSandbox(`kubectl --context fleetwright-sandbox-hub ${line}`);

/** Fails with all that was said where a command did not succeed. */
async function succeed(result: Promise<Result>): Promise<string> {
  const { code, stdout, stderr } = await result;
  expect({ code, said: code === 0 ? "" : `${stdout}\n${stderr}` }).toEqual({ code: 0, said: "" });
  return stdout;
}

afterAll(async () => {
  await sandbox("reset");
  await rm(layout.lock, { force: true });
});

// The steps of a person's day, in their order; each needs those before it.
test("it comes up under every policy, and both members are ready on the hub", async () => {
  const started = await succeed(sandbox("start --stack fleet"));
  expect(started).toMatch(/Resources:\n +\+ \d+ created\n/);
  await succeed(
    onHub(
      "wait --for=condition=Ready clusters.fleetwright.dev/east clusters.fleetwright.dev/west --timeout=2m",
    ),
  );
  const clusters = await succeed(onHub("get clusters.fleetwright.dev --no-headers"));
  expect(clusters).toMatch(/^east +push +true +True +Synced +v1\.\S+/m);
  expect(clusters).toMatch(/^west +push +true +True +Synced +v1\.\S+/m);
});

test("a Deployment that is pinned to one of them runs there, with the rights of the hub's account alone", async () => {
  await succeed(onHub("create namespace shop"));
  await succeed(onHub("-n shop create deployment web --image registry.example.com/web:1 --replicas 2"));
  await succeed(onHub("-n shop label deployment web fleetwright.dev/cluster=west"));
  await succeed(onHub("-n shop wait --for=condition=Available deployment/web --timeout=2m"));
  const there = (member: string): Promise<Result> =>
    inSandbox(`kubectl --context fleetwright-sandbox-${member} -n shop get deployments -o name`);
  expect((await there("west")).stdout).toBe("deployment.apps/web\n");
  expect((await there("east")).stdout).toBe("");
});

test("it changes nothing when it is started again", async () => {
  expect(await succeed(sandbox("start --stack fleet"))).toMatch(/Resources:\n +\d+ unchanged\n/);
});

test("destroyed, it takes both members out: what was placed runs on, and no account of the hub is left in them", async () => {
  await succeed(inSandbox("pulumi destroy --yes --skip-preview --non-interactive"));
  expect(await succeed(onHub("get clusters.fleetwright.dev -o name"))).toBe("");
  for (const member of ["east", "west"]) {
    const kubectl = `kubectl --context fleetwright-sandbox-${member}`;
    expect((await inSandbox(`${kubectl} get clusterrole fleetwright-hub-access`)).stderr).toContain(
      "not found",
    );
  }
  const web = await succeed(
    inSandbox("kubectl --context fleetwright-sandbox-west -n shop get deployment web -o name"),
  );
  expect(web).toBe("deployment.apps/web\n");
});
