// A machine with a bastion's user data: what its one user can do there, and what nobody can.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { waitFor } from "../../../lib/deadline";
import type { CommandResult } from "../../../sandbox/machines/command";
import { machineSpecFixture } from "../../../sandbox/machines/testing/machine-spec";
import { booted, describeMachines, testMachineHost } from "../../../sandbox/machines/testing/machine-host";
import { SshKeys } from "../../../sandbox/machines/testing/ssh-keys";
import { BASTION_USER, bastionUserData } from "./user-data";

describeMachines("a bastion", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "fleetwright-bastion-"));
  const file = (name: string): string => path.join(folder, name);
  const nodeKeys = new SshKeys();
  const machineHost = testMachineHost();
  const [bastion, node] = ["10.0.1.10", "10.0.2.10"];

  /** OpenSSH with the login key, where the machines can be reached. */
  const ssh = (args: readonly string[]): Promise<CommandResult> => {
    const settings = [
      "IdentitiesOnly=yes",
      "BatchMode=yes",
      "ConnectTimeout=5",
      `UserKnownHostsFile=${file("known")}`,
    ];
    const options = settings.flatMap((one) => ["-o", one]);
    return machineHost.exec(["ssh", "-F", "none", "-i", file("login"), ...options, ...args]);
  };

  beforeAll(async () => {
    for (const name of ["login", "host"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file(name)]);
    const read = (name: string): string => readFileSync(file(name), "utf8");
    writeFileSync(file("known"), `${bastion} ${read("host.pub")}${node} ${nodeKeys.publicKey("host")}\n`);
    await machineHost.open();
    const userData = bastionUserData(
      read("login.pub"),
      { privateKey: read("host"), publicKey: read("host.pub") },
      [22, 6443],
    );
    await machineHost.launch(machineSpecFixture({ id: "i-0b1", privateIp: bastion, userData }));
    await machineHost.launch(
      machineSpecFixture({
        id: "i-0b2",
        privateIp: node,
        subnetCidr: "10.0.2.0/24",
        authorizedKeys: [read("login.pub").trim()],
        userData: nodeKeys.userData(),
      }),
    );
    await booted(machineHost, "i-0b1");
    await booted(machineHost, "i-0b2");
  }, 600_000);
  afterAll(async () => {
    await machineHost.destroy();
    await nodeKeys.remove();
    rmSync(folder, { recursive: true });
  });

  test("forwards a login to a node, by both host keys", async () => {
    const jump = `ssh -F none -i ${file("login")} -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile=${file("known")} -W %h:%p ${BASTION_USER}@${bastion}`;
    let printed = "";
    await waitFor(
      "a login through the bastion",
      async () => {
        const { code, stdout, stderr } = await ssh([
          "-o",
          `ProxyCommand=${jump}`,
          `debian@${node}`,
          "hostname -I",
        ]);
        printed = stdout;
        return code === 0 || stderr;
      },
      { timeoutMs: 90_000 },
    );
    expect(printed).toContain(node);
  });

  test("forwards to no other port", async () => {
    const { code, stderr } = await ssh(["-W", `${node}:9345`, `${BASTION_USER}@${bastion}`]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/administratively prohibited/);
  });

  test.each([
    ["a command", ["id"]],
    ["a terminal", ["-tt"]],
    ["an agent", ["-A", "id"]],
  ])("gives no %s", async (_, [first = "", ...rest]) => {
    const options = first.startsWith("-") ? [first] : [];
    const command = first.startsWith("-") ? rest : [first];
    const { code, stdout } = await ssh([...options, `${BASTION_USER}@${bastion}`, ...command]);
    expect(code).not.toBe(0);
    expect(stdout).not.toContain("uid=");
  });

  test.each(["root", "debian"])("does not let %s in", async (user) => {
    const { code, stderr } = await ssh([`${user}@${bastion}`, "id"]);
    expect([code, stderr.includes("Permission denied")]).toEqual([255, true]);
  });
});
