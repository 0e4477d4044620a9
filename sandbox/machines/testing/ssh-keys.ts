import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { waitFor } from "../../../lib/deadline";
import type { CommandResult } from "../command";
import type { MachineHost } from "../machine-host";

/** SSH keys of one test: the user's, and the host key of its machines. */
export class SshKeys {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), "fleetwright-keys-"));

  constructor() {
    for (const name of ["login", "host"]) {
      execFileSync("ssh-keygen", [
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-C",
        name,
        "-f",
        path.join(this.#folder, name),
      ]);
    }
  }

  /** The public half of a key. */
  publicKey(name: "login" | "host"): string {
    return readFileSync(path.join(this.#folder, `${name}.pub`), "utf8").trim();
  }

  /** Cloud-config that gives a machine its host key, with more settings. */
  userData(more: Record<string, unknown> = {}): string {
    const hostKey = readFileSync(path.join(this.#folder, "host"), "utf8");
    const settings = {
      ssh_keys: { ed25519_private: hostKey, ed25519_public: this.publicKey("host") },
      ...more,
    };
    return `#cloud-config\n${JSON.stringify(settings)}\n`;
  }

  /** Logs in to a machine and verifies its host key. */
  async login(
    machineHost: MachineHost,
    ip: string,
    command: string,
    user = "debian",
  ): Promise<CommandResult> {
    const known = path.join(this.#folder, `known-${ip}`);
    writeFileSync(known, `${ip} ${this.publicKey("host")}\n`);
    const settings = [
      ["UserKnownHostsFile", known],
      ["GlobalKnownHostsFile", "none"],
      ["StrictHostKeyChecking", "yes"],
      ["HostKeyAlgorithms", "ssh-ed25519"],
      ["IdentitiesOnly", "yes"],
      ["BatchMode", "yes"],
      ["ConnectTimeout", "2"],
    ].flatMap(([name, value]) => ["-o", `${name ?? ""}=${value ?? ""}`]);
    const key = path.join(this.#folder, "login");
    return machineHost.exec(["ssh", "-F", "none", "-i", key, ...settings, `${user}@${ip}`, command]);
  }

  /** Waits until a command over SSH succeeds and gives what it printed. */
  async eventually(machineHost: MachineHost, ip: string, command: string): Promise<string> {
    let printed = "";
    await waitFor(
      `a login at ${ip}`,
      async () => {
        const { code, stdout, stderr } = await this.login(machineHost, ip, command);
        printed = stdout;
        return code === 0 || stderr;
      },
      { timeoutMs: 90_000 },
    );
    return printed;
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
