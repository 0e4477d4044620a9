import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { waitFor } from "../../../../lib/deadline";
import { freePort } from "../../../../lib/port";
import type { Values } from "../../shell/wire";

const exec = promisify(execFile);
const PROGRAM = "/usr/sbin/sshd";

/** A real OpenSSH server on a loopback port, for tests, with keys of its own. */
export class TestSshd {
  private child: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    readonly port: number,
    /** The server's public key, as `connection.hostKey` wants it. */
    readonly hostKey: string,
    /** A private key that may log in. */
    readonly privateKey: string,
  ) {}

  /** Lays out a server, with more lines of its configuration; `start` it and `stop` it. */
  static async prepare(more: readonly string[] = []): Promise<TestSshd> {
    const folder = await mkdtemp(join(tmpdir(), "fleetwright-sshd-"));
    for (const name of ["host", "user"]) {
      await exec("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, name)]);
    }
    const port = await freePort();
    const settings = [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${join(folder, "host")}`,
      `AuthorizedKeysFile ${join(folder, "authorized")}`,
      "PidFile none",
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PermitRootLogin yes",
      "MaxStartups 100",
      "Subsystem sftp internal-sftp",
      ...more,
    ];
    await writeFile(join(folder, "config"), `${settings.join("\n")}\n`);
    const sshd = new TestSshd(
      folder,
      port,
      await readFile(join(folder, "host.pub"), "utf8"),
      await readFile(join(folder, "user"), "utf8"),
    );
    await sshd.authorize(await readFile(join(folder, "user.pub"), "utf8"));
    return sshd;
  }

  /** Lets another key log in. */
  async authorize(line: string): Promise<void> {
    await writeFile(join(this.folder, "authorized"), `${line.trim()}\n`, { flag: "a" });
  }

  async start(): Promise<void> {
    // Debian's server wants this empty folder; it is usually made at boot.
    if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
    this.child = spawn(PROGRAM, ["-D", "-e", "-f", join(this.folder, "config")], { stdio: "ignore" });
    this.child.on("error", () => {});
    await waitFor(`sshd on port ${this.port} (is ${PROGRAM} installed?)`, () => answers(this.port), {
      timeoutMs: 120_000,
    });
  }

  /** A connection to this server. */
  connection(overrides: Values = {}): Values {
    return {
      host: "127.0.0.1",
      port: this.port,
      user: userInfo().username,
      privateKey: this.privateKey,
      hostKey: this.hostKey,
      dialErrorLimit: 0,
      perDialTimeout: 15,
      ...overrides,
    };
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Whether a process runs; one that has ended and was not yet fetched by its parent does not. */
export function isRunning(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** A relay to a port that counts who comes; with no port it takes calls and never says a word. */
export async function countingRelay(
  target: number | undefined,
): Promise<{ port: number; calls: () => number; close: () => void }> {
  let calls = 0;
  const server = createServer((from) => {
    calls++;
    from.on("error", () => {});
    if (target === undefined) return;
    const to = connect(target, "127.0.0.1");
    to.on("error", () => from.destroy());
    from.pipe(to).pipe(from);
  });
  const port = await listening(server);
  return { port, calls: () => calls, close: () => void server.close() };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : 0);
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
