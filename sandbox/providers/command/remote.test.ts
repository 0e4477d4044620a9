import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Server } from "ssh2";
import { waitFor } from "../../../lib/deadline";
import { freePort } from "../../../lib/port";
import { call, silentLog, testContext } from "../testing/provider-harness";
import { sshPublicKey } from "../ssh-key";
import { isAsset, type Values } from "../shell/wire";
import { commandProvider } from "./provider";
import { countingRelay, isRunning, TestSshd } from "./testing/sshd";

const provider = commandProvider("0.0.0");
const COMMAND = "command:remote:Command";
const COPY = "command:remote:CopyToRemote";
const exec = promisify(execFile);

let sshd: TestSshd;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fleetwright-remote-"));
  sshd = await TestSshd.prepare(["AcceptEnv PULUMI_COMMAND_* PLAIN TRICKY EMPTY TOKEN NEW"]);
  await sshd.start();
});
afterAll(async () => {
  await sshd.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(inputs: Values, context = testContext()): Promise<Values> {
  return (await call(provider, COMMAND, context).create({ connection: sshd.connection(), ...inputs })).state;
}

async function problem(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no problem",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("remote.Command", () => {
  test("gives what a command says on both streams, and its input to it", async () => {
    const state = await run({ create: "cat; echo; echo oops >&2", stdin: "from outside" });
    expect(state).toMatchObject({ stdout: "from outside", stderr: "oops" });
  });

  test("brings variables of any content to a command with its input intact, without showing them to other processes", async () => {
    const environment = {
      PLAIN: "value",
      TRICKY: 'it\'s\n$(false) `x` "q" \\ \t ünïcode\n',
      EMPTY: "",
      TOKEN: "s3cr3t-value",
    };
    const state = await run({
      create: `printf '%s|' "$PLAIN" "$TRICKY" "$EMPTY" "$TOKEN"; cat; for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f >&2; done 2>/dev/null; true`,
      environment,
      stdin: "the input\nof two lines",
    });
    expect(state.stdout).toBe(`${Object.values(environment).join("|")}|the input\nof two lines`);
    const listing = await run({
      create: "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done 2>/dev/null",
      environment: { TOKEN: "s3cr3t-value" },
    });
    expect(listing.stdout).toContain("sshd");
    expect(listing.stdout).not.toContain("s3cr3t-value");
  });

  /** What the official provider 1.2.1 says of a command that fails: `run` in its commandOutputs.go, and Go's SSH library. */
  test.each([
    ["all of both streams", "stdoutAndStderr", "echo one; exit 7", "status 7", "one\n"],
    ["what is not to be shown while it runs", "none", "echo hidden >&2; exit 1", "status 1", "hidden\n"],
    ["the signal that ended it", "stderr", "kill -9 $$", "status 137 from signal KILL", ""],
    [
      "all of a long script before what it refused",
      "stderr",
      `: ${"x".repeat(5000)}\necho Refused: no >&2; exit 1`,
      "status 1",
      "Refused: no\n",
    ],
  ])("a failure tells %s", async (_what, logging, create, how, said) => {
    // The engine hides what is secret of a message; the provider does not.
    const context = testContext({ secretNames: new Set(["create"]) });
    expect(await problem(run({ create, logging }, context))).toBe(
      `Process exited with ${how}: running ${JSON.stringify(create)}:\n${said}`,
    );
  });

  test("shows lines as they come, as far as logging allows", async () => {
    const lines: string[] = [];
    const context = testContext({
      log: { ...silentLog, status: (line) => lines.push(line) },
    });
    await run({ create: "echo out; echo err >&2", logging: "stderr" }, context);
    expect(lines).toEqual(["err"]);
  });

  test("runs create again on an update without a script of its own, with the last output at hand", async () => {
    const command = call(provider, COMMAND);
    const inputs = { connection: sshd.connection(), create: 'echo "now after $PULUMI_COMMAND_STDOUT"' };
    const { id, state } = await command.create(inputs);
    const changed = { ...inputs, environment: { NEW: "1" } };
    const updated = await command.update(id, state, inputs, changed);
    expect(updated.stdout).toBe("now after now after ");
    const own = { ...changed, update: 'echo "updated $PULUMI_COMMAND_STDOUT"' };
    expect((await command.update(id, updated, changed, own)).stdout).toBe("updated now after now after ");
    const silent = { ...own, addPreviousOutputInEnv: false };
    expect((await command.update(id, updated, own, silent)).stdout).toBe("updated ");
  });

  test("triggers replace, everything else updates", () => {
    const { diff } = call(provider, COMMAND);
    const inputs = { connection: sshd.connection(), create: "true", triggers: [1, { a: "x" }] };
    expect(diff(inputs, { ...inputs, triggers: [1, { a: "x" }] })).toEqual({});
    expect(diff(inputs, { ...inputs, triggers: [1, { a: "y" }] })).toEqual({ triggers: "replace" });
    expect(diff(inputs, { ...inputs, create: "false", stdin: "x" })).toEqual({
      create: "update",
      stdin: "update",
    });
  });

  test("runs its delete script with the last output", async () => {
    const file = join(folder, "deleted");
    const command = call(provider, COMMAND);
    const { id, state } = await command.create({
      connection: sshd.connection(),
      create: "echo made",
      delete: `echo "$PULUMI_COMMAND_STDOUT" > ${file}`,
    });
    await command.delete(id, state);
    expect(await readFile(file, "utf8")).toBe("made\n");
  });

  test("a cancellation ends the remote process", async () => {
    const stop = new AbortController();
    const file = join(folder, "pid");
    const running = problem(
      run({ create: `echo $$ > ${file}; exec sleep 1000` }, testContext({ signal: stop.signal })),
    );
    await waitFor("the command to start", () => existsSync(file), { timeoutMs: 120_000 });
    const pid = await waitForText(file);
    stop.abort(new Error("the update was cancelled"));
    expect(await running).toBe("the update was cancelled");
    await waitFor("the process to end", () => !isRunning(pid), { timeoutMs: 120_000 });
  });

  test("a connection that breaks is reported as such", async () => {
    expect(await problem(run({ create: "kill -9 $PPID; sleep 5" }))).toContain(
      "wait: remote command exited without exit status or exit signal",
    );
  });
});

async function waitForText(file: string): Promise<string> {
  let text = "";
  await waitFor("text in a file", async () => (text = (await readFile(file, "utf8")).trim()) !== "", {
    timeoutMs: 120_000,
  });
  return text;
}

/** A connection without its private key. */
function keyless(connection: Values): Values {
  return Object.fromEntries(Object.entries(connection).filter(([name]) => name !== "privateKey"));
}

describe("logging in", () => {
  test("any kind of private key will do, encrypted ones with their password", async () => {
    const keys = [
      generateKeyPairSync("rsa", { modulusLength: 2048 }),
      generateKeyPairSync("ec", { namedCurve: "secp384r1" }),
      generateKeyPairSync("ed25519"),
    ];
    for (const { privateKey, publicKey } of keys) {
      await sshd.authorize(sshPublicKey(publicKey)?.line ?? "");
      const plain = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      expect(
        await run({ connection: sshd.connection({ privateKey: plain }), create: "echo in" }),
      ).toMatchObject({ stdout: "in" });
    }
  });

  test("keys that are encrypted in OpenSSH's form or the old one of PEM will do with their password", async () => {
    const passphrase = "open sesame";
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await sshd.authorize(sshPublicKey(publicKey)?.line ?? "");
    const old = privateKey.export({ type: "pkcs1", format: "pem", cipher: "aes-128-cbc", passphrase });
    const file = join(folder, "locked");
    await exec("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", file]);
    await sshd.authorize(await readFile(`${file}.pub`, "utf8"));
    for (const key of [old.toString(), await readFile(file, "utf8")]) {
      const connection = sshd.connection({ privateKey: key, privateKeyPassword: passphrase });
      expect(await run({ connection, create: "echo in" })).toMatchObject({ stdout: "in" });
      const message = await problem(
        run({ connection: { ...connection, privateKeyPassword: "wrong one" }, create: "true" }),
      );
      expect(message).toBe("x509: decryption password incorrect");
    }
  });

  test("an agent will do", async () => {
    const socket = join(folder, "agent");
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
    try {
      await waitFor("the agent", () => existsSync(socket), { timeoutMs: 120_000 });
      await exec("ssh-add", [join(sshd.folder, "user")], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      const rest = keyless(sshd.connection());
      expect(
        await run({ connection: { ...rest, agentSocketPath: socket }, create: "echo in" }),
      ).toMatchObject({ stdout: "in" });
    } finally {
      agent.kill("SIGKILL");
    }
  });

  test("a password will do, asked for in either way", async () => {
    for (const method of ["password", "keyboard-interactive"] as const) {
      const server = passwordServer(method, "open sesame", await readFile(join(sshd.folder, "host"), "utf8"));
      const port = await new Promise<number>((resolve) => {
        server.listen(0, "127.0.0.1", () => {
          const bound = server.address();
          resolve(typeof bound === "object" && bound !== null ? bound.port : 0);
        });
      });
      const rest = keyless(sshd.connection({ port, user: "someone" }));
      try {
        expect(
          await run({ connection: { ...rest, password: "open sesame" }, create: "anything" }),
        ).toMatchObject({ stdout: "welcome" });
        const message = await problem(
          run({ connection: { ...rest, password: "wrong one" }, create: "anything" }),
        );
        expect(message).toBe(
          `after 0 failed attempts: ssh: handshake failed: ssh: unable to authenticate, attempted methods [none ${method}], no supported methods remain`,
        );
      } finally {
        server.close();
      }
    }
  });

  test("waits for a server that comes up late", async () => {
    const late = await TestSshd.prepare();
    const dials: string[] = [];
    const context = testContext({
      log: { ...silentLog, status: (line) => dials.push(line) },
    });
    const running = run(
      { connection: late.connection({ dialErrorLimit: 10 }), create: "echo late" },
      context,
    );
    try {
      await waitFor("two failed dials", () => dials.length >= 2, { timeoutMs: 120_000 });
      await late.start();
      expect(await running).toMatchObject({ stdout: "late" });
      expect(dials.slice(0, 2)).toEqual(["Dial 1/10 failed: retrying", "Dial 2/10 failed: retrying"]);
    } finally {
      await late.stop();
    }
  });

  test("a server that says nothing is given up after perDialTimeout", async () => {
    const relay = await countingRelay(undefined);
    try {
      const message = await problem(
        run({
          connection: sshd.connection({ port: relay.port, perDialTimeout: 1, dialErrorLimit: 1 }),
          create: "true",
        }),
      );
      expect(message).toContain("no login within 1 s (perDialTimeout)");
      expect(relay.calls()).toBe(2);
    } finally {
      relay.close();
    }
  });

  test("a cancellation ends the dialling", async () => {
    const stop = new AbortController();
    const port = await freePort();
    const context = testContext({
      signal: stop.signal,
      log: { ...silentLog, status: () => stop.abort(new Error("enough")) },
    });
    expect(
      await problem(
        run({ connection: sshd.connection({ port, dialErrorLimit: -1 }), create: "true" }, context),
      ),
    ).toBe("enough");
  });

  test("goes through a proxy", async () => {
    const relay = await countingRelay(sshd.port);
    const inner = await countingRelay(sshd.port);
    try {
      const connection = {
        ...sshd.connection({ port: inner.port }),
        proxy: sshd.connection({ port: relay.port }),
      };
      expect(await run({ connection, create: "echo through" })).toMatchObject({ stdout: "through" });
      expect([relay.calls(), inner.calls()]).toEqual([1, 1]);
    } finally {
      relay.close();
      inner.close();
    }
  });
});

function passwordServer(
  method: "password" | "keyboard-interactive",
  password: string,
  hostKey: string,
): Server {
  return new Server({ hostKeys: [hostKey] }, (client) => {
    client.on("error", () => {});
    client.on("authentication", (context) => {
      const answerWith = (answer: string | undefined): void => {
        if (answer === password) context.accept();
        else context.reject([method]);
      };
      if (context.method === "password" && method === "password") answerWith(context.password);
      else if (context.method === "keyboard-interactive" && method === "keyboard-interactive") {
        context.prompt([{ prompt: "Password: ", echo: false }], (answers) => answerWith(answers[0]));
      } else context.reject([method]);
    });
    client.on("session", (accept) => {
      accept().on("exec", (acceptExec) => {
        const channel = acceptExec();
        channel.write("welcome\n");
        channel.exit(0);
        channel.end();
      });
    });
  });
}

describe("remote.CopyToRemote", () => {
  const ASSET = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
  const ARCHIVE = { "4dabf18193072939515e22adb298388d": "0def7320c3a5731c473e5ecbe6d01bc7" };

  async function copy(source: Values, remotePath: string): Promise<void> {
    await call(provider, COPY).create({ connection: sshd.connection(), source, remotePath });
  }

  test("copies texts, files and folders to where the official provider puts them", async () => {
    const from = join(folder, "from");
    await mkdir(join(from, "deep"), { recursive: true });
    await writeFile(join(from, "a.txt"), "a");
    await writeFile(join(from, "deep", "b.txt"), "b");
    const to = join(folder, "to");
    await copy({ ...ASSET, text: "a text", hash: "1" }, join(to, "new", "text.txt"));
    expect(await readFile(join(to, "new", "text.txt"), "utf8")).toBe("a text");
    await copy({ ...ASSET, path: join(from, "a.txt"), hash: "2" }, join(to, "new"));
    expect(await readFile(join(to, "new", "a.txt"), "utf8")).toBe("a");
    await copy({ ...ASSET, path: join(from, "a.txt"), hash: "2" }, join(to, "new", "text.txt"));
    expect(await readFile(join(to, "new", "text.txt"), "utf8")).toBe("a");
    await copy({ ...ARCHIVE, path: from, hash: "3" }, join(to, "one"));
    expect(await readFile(join(to, "one", "from", "deep", "b.txt"), "utf8")).toBe("b");
    await copy({ ...ARCHIVE, path: `${from}/`, hash: "3" }, join(to, "two"));
    expect(await readFile(join(to, "two", "deep", "b.txt"), "utf8")).toBe("b");
    expect(await problem(copy({ ...ARCHIVE, path: from, hash: "3" }, join(to, "new", "a.txt")))).toContain(
      "is a file, but",
    );
    expect(await problem(copy({ ...ASSET, text: "x", hash: "4" }, to))).toContain(
      "is a folder: remotePath must be",
    );
  });

  test("copies again when content or path change, and not for another connection", async () => {
    const resource = call(provider, COPY);
    const remotePath = join(folder, "again");
    const inputs = { connection: sshd.connection(), source: { ...ASSET, text: "1", hash: "h1" }, remotePath };
    expect(isAsset(inputs.source)).toBe(true);
    const { id, state } = await resource.create(inputs);
    await rm(remotePath);
    const moved = { ...inputs, connection: sshd.connection({ dialErrorLimit: 3 }) };
    await resource.update(id, state, inputs, moved);
    expect(existsSync(remotePath)).toBe(false);
    const changed = { ...inputs, source: { ...ASSET, text: "2", hash: "h2" } };
    expect(resource.diff(inputs, changed)).toEqual({ source: "update" });
    await resource.update(id, state, inputs, changed);
    expect(await readFile(remotePath, "utf8")).toBe("2");
  });

  test("refuses sources that it cannot copy", () => {
    const problems = call(provider, COPY).failures({
      connection: sshd.connection(),
      remotePath: "/x",
      source: { ...ASSET, uri: "https://example.org" },
    });
    expect(problems.join()).toContain("source must be a FileAsset, StringAsset or FileArchive");
  });
});
