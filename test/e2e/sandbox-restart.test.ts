import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sandboxLayout } from "../../sandbox/layout";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";

// What a first start could not have is there after the next one; and two checkouts do not disturb each other.

const PROJECT = path.join(__dirname, "../..");
const NAME = `test-${randomBytes(4).toString("hex")}`;

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

interface Status {
  cloud: { process: { pid: number }; network?: string; reason?: string } | null;
  controlPlane: { ready: boolean } | null;
}

function sandbox(project: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Result> {
  return new Promise((resolve) => {
    execFile(
      "npm",
      ["run", "-s", "sandbox", "--", ...args, "--name", NAME],
      { cwd: project, env: { ...process.env, ...env }, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
  });
}

async function status(project: string): Promise<Status | undefined> {
  const { stdout } = await sandbox(project, ["status", "--json"]);
  return (JSON.parse(stdout) as Status[])[0];
}

/** A PATH with every program of this one but those named, each as a link. */
async function pathWithout(folder: string, names: readonly string[]): Promise<string> {
  await mkdir(folder);
  for (const source of (process.env.PATH ?? "").split(path.delimiter).reverse()) {
    for (const name of await readdir(source).catch(() => [])) {
      if (names.includes(name)) continue;
      await rm(path.join(folder, name), { force: true });
      await symlink(path.join(source, name), path.join(folder, name));
    }
  }
  return folder;
}

describeMachines("a sandbox", () => {
  let work: string;
  let clone: string;
  jest.setTimeout(900_000);

  beforeAll(async () => {
    work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-restart-"));
    clone = path.join(work, "clone");
    await mkdir(clone);
    for (const name of ["sandbox", "lib", "api", "controllers", "scripts", "package.json", "tsconfig.json"])
      await cp(path.join(PROJECT, name), path.join(clone, name), { recursive: true });
    await symlink(path.join(PROJECT, "node_modules"), path.join(clone, "node_modules"));
  });
  afterAll(async () => {
    await sandbox(PROJECT, ["reset"]);
    await sandbox(clone, ["reset"]);
    await rm(sandboxLayout(PROJECT, NAME).lock, { force: true });
    await rm(work, { recursive: true, force: true });
  });

  test("that cannot have machines comes up with simulated nodes, and says last what to do", async () => {
    const PATH = await pathWithout(path.join(work, "bin"), ["unshare"]);
    const up = await sandbox(PROJECT, ["up", "--no-install"], { PATH });
    expect(up.stderr).toMatch(/no machines, so nodes will be simulated\. .*unshare/);
    expect(up.stdout.trim().split("\n").slice(-2)).toEqual([
      expect.stringMatching(/^Machines were left out\. .*unshare/),
      "To get them: install what is missing, then npm start",
    ]);
    expect(up.code).toBe(0);
    expect(await status(PROJECT)).toMatchObject({
      controlPlane: { ready: true },
      cloud: { reason: expect.stringContaining("unshare") as string },
    });
  });

  test("has machines after the next start, once they are possible, without a reset", async () => {
    const before = await status(PROJECT);
    const up = await sandbox(PROJECT, ["up"]);
    expect(up.stderr).toContain("stopping the cloud, to start it again with machines");
    expect(up.stdout).not.toContain("left out");
    expect(up.code).toBe(0);
    const after = await status(PROJECT);
    expect(after?.cloud?.network).toMatch(/^fw-/);
    expect(after?.cloud).not.toHaveProperty("reason");
    expect(after?.cloud?.process.pid).not.toBe(before?.cloud?.process.pid);
  });

  test("is left alone by the start after that", async () => {
    const before = await status(PROJECT);
    expect((await sandbox(PROJECT, ["up"])).stderr).toMatch(/✓ cloud \(running at /);
    expect((await status(PROJECT))?.cloud?.process.pid).toBe(before?.cloud?.process.pid);
  });

  test("of the same name in another checkout comes up beside it, in a network of its own, without a control plane", async () => {
    const up = await sandbox(clone, ["up"]);
    expect(up.code).toBe(0);
    const [first, second] = [await status(PROJECT), await status(clone)];
    expect(second?.cloud?.network).toMatch(/^fw-/);
    expect(second?.cloud?.network).not.toBe(first?.cloud?.network);
    expect(second?.controlPlane).toBeNull();
    expect(first?.controlPlane?.ready).toBe(true);
    expect((await sandbox(clone, ["reset"])).code).toBe(0);
    expect((await status(PROJECT))?.cloud).not.toBeNull();
  });
});
