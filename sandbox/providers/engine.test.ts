import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { Engine } from "../../test/harness/engine";
import { isObject, listAt, parseJson, textAt } from "../../lib/json";
import { waitFor } from "../../lib/deadline";
import { isRunning, TestSshd } from "./command/testing/sshd";
import { installProviders, pluginPath, PROVIDER_VERSIONS, providersLine } from "./install";

const TOKEN = "a-token-that-must-not-be-seen";
const STACK = ["--stack", "test"];
const LONG = 300_000;

let engine: Engine;
let sshd: TestSshd;
let program: string;

beforeAll(async () => {
  engine = await Engine.open();
  sshd = await TestSshd.prepare(["AcceptEnv TOKEN"]);
  await sshd.start();
  await installProviders(engine.home, ["tls", "command"], { userHome: engine.path("nobody") });
  program = engine.program("providers-tls-command");
  await engine.expect(["stack", "init", "test"], program);
  await set({
    folder: sshd.folder,
    port: String(sshd.port),
    user: userInfo().username,
    hostKey: sshd.hostKey.trim(),
  });
  await engine.expect(["config", "set", "--secret", "token", TOKEN, ...STACK], program);
}, LONG);

afterAll(async () => {
  await engine.close();
  await sshd.stop();
});

async function set(values: Record<string, string>): Promise<void> {
  const pairs = Object.entries(values).flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]);
  await engine.expect(["config", "set-all", ...STACK, ...pairs], program);
}

async function unset(key: string): Promise<void> {
  await engine.expect(["config", "rm", key, ...STACK], program);
}

/** What a preview would do, by the name of the resource. */
async function plan(): Promise<Record<string, string>> {
  const json = parseJson(await engine.expect(["preview", "--json", ...STACK], program));
  const steps = listAt(json, "steps").map(
    (step) => [textAt(step, "urn")?.split("::").slice(2).join(" ") ?? "", textAt(step, "op") ?? ""] as const,
  );
  return Object.fromEntries(steps.filter(([, operation]) => operation !== "same"));
}

async function outputs(): Promise<Record<string, unknown>> {
  const json = parseJson(await engine.expect(["stack", "output", "--json", ...STACK], program));
  return isObject(json) ? json : {};
}

/** Everything that the engine has written about its stacks. */
async function stateText(): Promise<string> {
  const files = await readdir(engine.state, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(path.join(file.parentPath, file.name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}

const log = (name: string): Promise<string> => readFile(path.join(sshd.folder, name), "utf8");

test(
  "a preview of nothing yet works with what is not known",
  async () => {
    const steps = await plan();
    expect(Object.values(steps).filter((operation) => operation === "create")).toHaveLength(10);
  },
  LONG,
);

test(
  "an update makes everything",
  async () => {
    await engine.expect(["up", "--yes", "--skip-preview", ...STACK], program);
    const made = await outputs();
    expect(made.publicKey).toMatch(/^ssh-ed25519 /);
    expect(made).toMatchObject({
      samePublicKey: "[secret]",
      local: `local 1 ${TOKEN.length}`,
      remote: "remote",
      run: "run",
    });
    expect(await readFile(String(made.copied), "utf8")).toBe("copied text");
  },
  LONG,
);

test("no secret stands in the state in clear", async () => {
  const text = await stateText();
  expect(text).toContain("BEGIN CERTIFICATE");
  expect(text).not.toContain("PRIVATE KEY");
  expect(text).not.toContain(TOKEN);
});

test(
  "a second update and a refresh change nothing",
  async () => {
    await engine.expect(["up", "--yes", "--skip-preview", "--expect-no-changes", ...STACK], program);
    await engine.expect(["refresh", "--yes", "--skip-preview", "--expect-no-changes", ...STACK], program);
    await engine.expect(["preview", "--expect-no-changes", ...STACK], program);
  },
  LONG,
);

test(
  "changes update or replace, and only a changed command runs again, or one whose connection changed",
  async () => {
    await set({ version: "2" });
    expect(await plan()).toEqual({ "command:local:Command local": "update" });
    await engine.expect(["up", "--yes", "--skip-preview", ...STACK], program);
    expect(await log("local.log")).toMatch(/^local 1 \d+\nlocal 2 \d+\n$/);

    await set({ trigger: "again", dialErrorLimit: "7" });
    expect(await plan()).toMatchObject({
      "command:remote:Command remote": "update",
      "command:remote:CopyToRemote copy": "update",
    });
    await engine.expect(["up", "--yes", "--skip-preview", ...STACK], program);
    expect(await log("remote.log")).toBe("remote\nremote\n");
    expect(await log("local.log")).toMatch(/local 2 \d+\nlocal 2 \d+\ndeleted after local 2 \d+\n$/);
  },
  LONG,
);

test(
  "a certificate in its time of renewal is replaced",
  async () => {
    const before = (await outputs()).serial;
    await set({ earlyRenewalHours: "100" });
    expect(Object.values(await plan())).toContain("replace");
    await engine.expect(["up", "--yes", "--skip-preview", ...STACK], program);
    expect((await outputs()).serial).not.toBe(before);
    await set({ earlyRenewalHours: "10" });
    await engine.expect(["up", "--yes", "--skip-preview", ...STACK], program);
  },
  LONG,
);

test(
  "an unknown property or type is named, with the way to the official provider",
  async () => {
    await set({ wrong: "property" });
    const property = await engine.pulumi(["preview", ...STACK], program);
    expect(property.code).not.toBe(0);
    expect(property.stdout + property.stderr).toContain('there is no property "size" here');
    expect(property.stdout + property.stderr).toContain(
      `pulumi plugin install resource tls ${PROVIDER_VERSIONS.tls}`,
    );
    await set({ wrong: "type" });
    const type = await engine.pulumi(["preview", ...STACK], program);
    expect(type.code).not.toBe(0);
    expect(type.stdout + type.stderr).toContain('has no resource type "tls:index/magic:Magic"');
    await unset("wrong");
  },
  LONG,
);

describe.each([
  ["a Ctrl-C", "SIGINT"],
  ["the death of the engine", "SIGKILL"],
] as const)("%s", (_, signal) => {
  test(
    "ends a running command, and leaves nothing behind",
    async () => {
      await set({ sleep: "yes" });
      const running = engine.start(["up", "--yes", "--skip-preview", ...STACK], program);
      const file = path.join(sshd.folder, "pid");
      await waitFor(
        "the command to run",
        async () => existsSync(file) && (await readFile(file, "utf8")).endsWith("\n"),
        { timeoutMs: 120_000 },
      );
      const pid = (await readFile(file, "utf8")).trim();
      running.signal(signal);
      expect((await running.outcome).code).not.toBe(0);
      await waitFor("the command to end", () => !isRunning(pid), { timeoutMs: 120_000 });
      await waitFor(
        "all processes to end",
        () =>
          engine.processes().length === 0 ||
          engine
            .processes()
            .map(({ command }) => command)
            .join(),
        { timeoutMs: 120_000 },
      );
      await rm(file);
      await unset("sleep");
      if (signal === "SIGKILL") await engine.expect(["cancel", "--yes", ...STACK], program);
    },
    LONG,
  );
});

test(
  "destroy runs the delete scripts and leaves nothing in the state",
  async () => {
    await engine.expect(["destroy", "--yes", "--skip-preview", ...STACK], program);
    expect(await log("remote.log")).toBe("remote\nremote\ndeleted\n");
    expect(await log("local.log")).toMatch(/deleted after local 2 \d+\n$/);
    const state = parseJson(await engine.expect(["stack", "export", ...STACK], program));
    expect(listAt(state, "deployment", "resources")).toHaveLength(0);
  },
  LONG,
);

describe("installation", () => {
  test(
    "an official plugin is used where there is one, and the sandbox's otherwise",
    async () => {
      const home = engine.path("another-home");
      const userHome = engine.path("another-user");
      const official = pluginPath(userHome, "tls", PROVIDER_VERSIONS.tls);
      await mkdir(path.dirname(official), { recursive: true });
      await writeFile(official, "#!/bin/sh\n", { mode: 0o755 });
      const installed = await installProviders(home, ["tls", "command"], { userHome });
      expect(installed.map(({ name, origin }) => [name, origin])).toEqual([
        ["tls", "official"],
        ["command", "sandbox"],
      ]);
      expect(providersLine(installed)).toBe(
        `command ${PROVIDER_VERSIONS.command} (the sandbox's own); tls ${PROVIDER_VERSIONS.tls} (official)`,
      );
      const [tls] = installed;
      expect(await readFile(tls?.path ?? "", "utf8")).toBe("#!/bin/sh\n");
      await rm(userHome, { recursive: true });
      expect((await installProviders(home, ["tls"], { userHome }))[0]?.origin).toBe("sandbox");
    },
    LONG,
  );
});
