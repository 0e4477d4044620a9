// What the official command provider 1.2.1 refuses, and how it says so: read from its source at the tag v1.2.1, and from that of the Go
// libraries it passes the words on of. A component that works with ours has to work with it.
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../lib/port";
import { sshPublicKey } from "../ssh-key";
import { call, silentLog, testContext } from "../testing/provider-harness";
import type { Values } from "../shell/wire";
import { quotedAsInGo } from "./go-words";
import { inOrder } from "./login";
import { commandProvider } from "./provider";
import { countingRelay, TestSshd } from "./testing/sshd";

const provider = commandProvider("0.0.0");
const REMOTE = "command:remote:Command";
const LOCAL = "command:local:Command";

let sshd: TestSshd;
let folder: string;
let closed: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fleetwright-official-"));
  sshd = await TestSshd.prepare(["AcceptEnv TAKEN"]);
  await sshd.start();
  closed = await freePort();
});
afterAll(async () => {
  await sshd.stop();
  await rm(folder, { recursive: true, force: true });
});

/** How an operation ends: with its standard output, or with what is wrong; and what was said meanwhile. */
async function outcome(
  token: string,
  inputs: Values,
  previous?: Values,
): Promise<{ end: string; warnings: string[]; errors: string[] }> {
  const warnings: string[] = [];
  const errors: string[] = [];
  const log = {
    ...silentLog,
    warning: (line: string) => warnings.push(line),
    error: (line: string) => errors.push(line),
  };
  const command = call(provider, token, testContext({ log }));
  const olds = { ...inputs, stdin: "another" };
  const work = previous
    ? command.update("id", { ...olds, ...previous }, olds, inputs)
    : command.create(inputs).then(({ state }) => state);
  const end = await work.then(
    ({ stdout }) => `stdout: ${typeof stdout === "string" ? stdout : ""}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return { end, warnings, errors };
}

const remote = async (inputs: Values, connection: Values = {}): Promise<string> =>
  (await outcome(REMOTE, { create: "true", connection: sshd.connection(connection), ...inputs })).end;
const local = async (inputs: Values): Promise<string> =>
  (await outcome(LOCAL, { create: "true", ...inputs })).end;

const pem = (type: "rsa" | "ed25519", how: object = {}): string =>
  (type === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ed25519")
  ).privateKey
    .export({ type: "pkcs8", format: "pem", ...how })
    .toString();
const LOCKED = { cipher: "aes-256-cbc", passphrase: "secret" };
const UNABLE = "ssh: handshake failed: ssh: unable to authenticate, attempted methods";

describe("as 1.2.1 does: variables of a remote command", () => {
  const said = (name: string): RegExp => new RegExp(`^Unable to set '${name}'\\. .* via AcceptEnv\\.`, "s");

  test("one that the server takes arrives, and one that it does not ends the command before it begins", async () => {
    const inputs = {
      connection: sshd.connection(),
      create: `echo "$TAKEN $OTHER"; touch ${join(folder, "ran")}`,
    };
    expect(await outcome(REMOTE, { ...inputs, environment: { TAKEN: "it's" } })).toEqual({
      ...{ end: "stdout: it's ", warnings: [], errors: [] },
    });
    await rm(join(folder, "ran"));
    const refused = await outcome(REMOTE, { ...inputs, environment: { TAKEN: "a", OTHER: "b" } });
    expect(refused).toEqual({
      end: 'could not set environment variable "OTHER": ssh: setenv failed',
      warnings: [],
      errors: [expect.stringMatching(said("OTHER"))],
    });
    await expect(readFile(join(folder, "ran"))).rejects.toThrow("ENOENT");
  });

  test("one that the server sets itself is none that it takes", async () => {
    expect(await remote({ create: "echo $HOME", environment: { HOME: "/elsewhere" } })).toBe(
      'could not set environment variable "HOME": ssh: setenv failed',
    );
  });

  test("the last output is left out with a warning, and the command runs", async () => {
    const inputs = { connection: sshd.connection(), create: 'echo "after:$PULUMI_COMMAND_STDOUT"' };
    expect(await outcome(REMOTE, inputs, { stdout: "before", stderr: "" })).toEqual({
      end: "stdout: after:",
      warnings: [expect.stringMatching(said("PULUMI_COMMAND_STDOUT"))],
      errors: [],
    });
    const silent = { ...inputs, addPreviousOutputInEnv: false };
    expect(await outcome(REMOTE, silent, { stdout: "before", stderr: "" })).toMatchObject({ warnings: [] });
  });
});

describe("as 1.2.1 does: dialling and keys", () => {
  test.each<[string, () => Values, (said: string) => string]>([
    [
      "a port that nothing listens on",
      () => ({ port: closed }),
      () => `after 0 failed attempts: dial tcp 127.0.0.1:${closed}: connect: connection refused`,
    ],
    [
      "the same, twice",
      () => ({ port: closed, dialErrorLimit: 1 }),
      () => `after 1 failed attempts: dial tcp 127.0.0.1:${closed}: connect: connection refused`,
    ],
    [
      "a proxy that is not there",
      () => ({ proxy: sshd.connection({ port: closed }) }),
      () => `proxy: after 0 failed attempts: dial tcp 127.0.0.1:${closed}: connect: connection refused`,
    ],
    [
      "a machine that the proxy cannot reach",
      () => ({ port: closed, proxy: sshd.connection() }),
      () => "proxy: after 0 failed attempts: ssh: rejected: connect failed (Connection refused)",
    ],
    [
      "a key that may not log in",
      () => ({ privateKey: pem("ed25519") }),
      () => `after 0 failed attempts: ${UNABLE} [none publickey], no supported methods remain`,
    ],
    [
      "no way to log in",
      () => ({ privateKey: undefined }),
      () => `after 0 failed attempts: ${UNABLE} [none], no supported methods remain`,
    ],
    [
      "a password that the server takes in the one way, and refuses",
      () => ({ privateKey: undefined, password: "x" }),
      () => `after 0 failed attempts: ${UNABLE} [none keyboard-interactive], no supported methods remain`,
    ],
    ["a key that is none", () => ({ privateKey: "nonsense" }), () => "ssh: no key found"],
    [
      "an encrypted PKCS#8 key without its password",
      () => ({ privateKey: pem("ed25519", LOCKED) }),
      () => 'ssh: unsupported key type "ENCRYPTED PRIVATE KEY"',
    ],
    [
      "an encrypted PKCS#8 key with its password",
      () => ({ privateKey: pem("ed25519", LOCKED), privateKeyPassword: "secret" }),
      () => "ssh: not an encrypted key",
    ],
    [
      "an encrypted key of the old form without its password",
      () => ({ privateKey: pem("rsa", { ...LOCKED, type: "pkcs1" }) }),
      () => "ssh: this private key is passphrase protected",
    ],
    [
      "a password for a key that has none",
      () => ({ privateKeyPassword: "secret" }),
      () => "ssh: key is not password protected",
    ],
    ["an agent without a path", () => ({ agentSocketPath: "" }), () => "dial unix: missing address"],
    [
      "an agent that is not there, beside a key that would do",
      () => ({ agentSocketPath: join(folder, "no-agent") }),
      () => `dial unix ${join(folder, "no-agent")}: connect: no such file or directory`,
    ],
    [
      "a host key that is none",
      () => ({ hostKey: "nonsense" }),
      () => "failed to parse host key: ssh: no key found",
    ],
    [
      "another host key",
      () => ({ hostKey: sshPublicKey(generateKeyPairSync("ed25519").publicKey)?.line }),
      () => "after 0 failed attempts: ssh: handshake failed: ssh: host key mismatch",
    ],
    [
      "a host key of another type",
      () => ({ hostKey: sshPublicKey(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey)?.line }),
      () =>
        "after 0 failed attempts: ssh: handshake failed: ssh: no common algorithm for host key; " +
        "client offered: [ssh-rsa], server offered: [ssh-ed25519]",
    ],
  ])("%s", async (_what, connection, words) => {
    const end = await remote({}, connection());
    expect(end).toBe(words(end));
  });

  test("a server that hangs up is a handshake that ended early", async () => {
    const relay = await countingRelay(closed);
    try {
      expect(await remote({}, { port: relay.port })).toMatch(
        /^after 0 failed attempts: ssh: handshake failed: (EOF|read tcp: read: connection reset by peer)$/,
      );
    } finally {
      relay.close();
    }
  });

  test("another host key is dialled for as often as any other failure", async () => {
    const relay = await countingRelay(sshd.port);
    try {
      const hostKey = sshPublicKey(generateKeyPairSync("ed25519").publicKey)?.line;
      await remote({}, { port: relay.port, hostKey, dialErrorLimit: 2 });
      expect(relay.calls()).toBe(3);
    } finally {
      relay.close();
    }
  });

  test.each<[string[] | null, string[], string | false]>([
    [null, [], "none"],
    [["publickey", "password"], ["none"], "publickey"],
    // The agent is a public key as well.
    [["publickey"], ["none", "publickey"], false],
    [["password"], ["none", "publickey"], "password"],
    [["keyboard-interactive"], ["none"], "keyboard-interactive"],
  ])("where the server takes %j and %j were tried, %s is next", (left, tried, expected) => {
    const all = ["publickey", "password", "keyboard-interactive", "agent"] as const;
    expect(inOrder(all, [...tried])(left)).toBe(expected);
  });
});

describe("as 1.2.1 does: local commands", () => {
  test.each<[string, () => Promise<Values> | Values, () => string]>([
    [
      "an interpreter that is not there",
      () => ({ interpreter: ["no-such-program"] }),
      () => 'exec: "no-such-program": executable file not found in $PATH: running "true":\n',
    ],
    [
      "an interpreter at a path that is not there",
      () => ({ interpreter: ["/no/such/program"] }),
      () => 'fork/exec /no/such/program: no such file or directory: running "true":\n',
    ],
    [
      "an interpreter that nobody may run",
      async () => {
        await writeFile(join(folder, "plain"), "", { mode: 0o600 });
        return { interpreter: [join(folder, "plain")] };
      },
      () => `fork/exec ${join(folder, "plain")}: permission denied: running "true":\n`,
    ],
    [
      "a folder that is not there",
      () => ({ dir: join(folder, "nowhere") }),
      () => `chdir ${join(folder, "nowhere")}: no such file or directory: running "true":\n`,
    ],
    [
      "a folder that is a file",
      async () => {
        await writeFile(join(folder, "file"), "");
        return { dir: join(folder, "file") };
      },
      () => 'fork/exec /bin/sh: not a directory: running "true":\n',
    ],
    [
      "a script that fails",
      () => ({ create: "echo ü; exit 3" }),
      () => 'exit status 3: running "echo ü; exit 3":\nü\n',
    ],
  ])("%s", async (_what, inputs, words) => {
    expect(await local(await inputs())).toBe(words());
  });

  test("a last output that no variable can hold ends the command before it begins", async () => {
    const { end } = await outcome(LOCAL, { create: "true" }, { stdout: "x".repeat(200_000), stderr: "" });
    expect(end).toBe('fork/exec /bin/sh: argument list too long: running "true":\n');
  });
});

test("as 1.2.1 does: another connection alone runs the command again", async () => {
  const command = call(provider, REMOTE);
  const file = join(folder, "runs");
  const inputs = { connection: sshd.connection(), create: `echo run >> ${file}` };
  const { id, state } = await command.create(inputs);
  await command.update(id, state, inputs, { ...inputs, connection: sshd.connection({ dialErrorLimit: 3 }) });
  expect(await readFile(file, "utf8")).toBe("run\nrun\n");
});

test.each([
  ["a\tb\n", String.raw`"a\tb\n"`],
  ['say "\\"', String.raw`"say \"\\\""`],
  ["\x07\x0b\x1b\x7f\x00", String.raw`"\a\v\x1b\x7f\x00"`],
  ["ü € 😀", '"ü € 😀"'],
])("as 1.2.1 does: %j is quoted as %s", (text, quoted) => {
  expect(quotedAsInGo(text)).toBe(quoted);
});
