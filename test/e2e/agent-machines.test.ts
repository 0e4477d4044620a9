import { createHash } from "node:crypto";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { UPGRADES, USERS, NODES, type UpgradeObject } from "../../controllers/agent/kinds";
import { reportOn } from "../../api/upgrade-annotations";
import { certifiedKey, daysFromNow } from "../../sandbox/controlplane/certificate";
import { booted, describeMachines, testMachineHost } from "../../sandbox/machines/testing/machine-host";
import { SshKeys } from "../../sandbox/machines/testing/ssh-keys";
import { machineSpecFixture } from "../../sandbox/machines/testing/machine-spec";
import { handOver, makeUser, startAgent, type RunningAgent } from "../harness/agent";
import { startCoordinatorFixture, type CoordinatorFixture } from "../harness/coordinator";
import { waitFor } from "../harness/fault-proxy";

describeMachines("agents on machines", () => {
  const machineHost = testMachineHost();
  const keys = new SshKeys();
  const machines = [
    machineSpecFixture({ userData: keys.userData() }),
    machineSpecFixture({
      id: "i-0a2",
      privateIp: "10.0.2.10",
      subnetCidr: "10.0.2.0/24",
      hostname: "ip-10-0-2-10",
      userData: keys.userData(),
    }),
  ];
  const agents: RunningAgent[] = [];
  let fixture: CoordinatorFixture;
  let server: https.Server;
  let ca = "";
  const sh = (id: string, script: string): Promise<string> =>
    machineHost.inside(id).run(["sh", "-euc", script]);
  const login = (ip: string, command: string) => keys.login(machineHost, ip, command, "jane");

  beforeAll(async () => {
    const certificate = await certifiedKey({
      subject: { commonName: "localhost" },
      usages: ["serverAuth", "digitalSignature"],
      names: { dns: ["localhost"], ips: ["127.0.0.1"] },
      notAfter: daysFromNow(1),
    });
    ca = certificate.certificate;
    [fixture] = await Promise.all([startCoordinatorFixture(), machineHost.open()]);
    await Promise.all(machines.map((machine) => machineHost.launch(machine)));
    await Promise.all(machines.map(({ id }) => booted(machineHost, id)));
    server = https.createServer({ key: certificate.key, cert: ca }, (_request, response) =>
      response.end(SCRIPT),
    );
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    for (const { id, hostname } of machines) {
      await fixture.direct.create(NODES, { metadata: { name: hostname } });
      // The kernel's link to a machine's root is a mount of it, as good as the one that a pod has.
      const leader = machineHost.inside(id).command(["true"])[2] ?? "";
      const root = `/proc/${leader}/root`;
      const host = { root, at: (file: string) => path.join(root, file) };
      agents.push(startAgent(fixture, { node: hostname, host, flags: ["--proc=/proc"], installerCa: ca }));
    }
  }, 600_000);
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    server.close();
    await fixture.close();
    await machineHost.destroy();
    await keys.remove();
  });

  test("let a person in by SSH as soon as there is a User, with sudo that the host's own check finds sound", async () => {
    for (const { privateIp } of machines) expect((await login(privateIp, "true")).code).toBe(255);
    const began = performance.now();
    await makeUser(fixture, { name: "jane", sudo: true, sshKeys: [{ key: keys.publicKey("login") }] });
    await Promise.all(
      machines.map(({ privateIp }) =>
        waitFor(`jane at ${privateIp}`, async () => (await login(privateIp, "true")).code === 0, 60_000),
      ),
    );
    // The promise is 2 s; this machine may be busy with other tests.
    console.log(`let in on both machines after ${((performance.now() - began) / 1000).toFixed(2)} s`);
    for (const { id, privateIp } of machines) {
      const { stdout } = await login(privateIp, "id -un; sudo -n id -un; pwd; echo $SHELL");
      expect(stdout).toBe("jane\nroot\n/home/jane\n/bin/bash\n");
      expect(await sh(id, "visudo -c && pwck -rq; grpck -r && echo sound")).toContain("sound");
    }
  });

  test("undo what a person adds to their own keys from inside the machine", async () => {
    const [{ privateIp, id }] = machines as [(typeof machines)[number]];
    await login(privateIp, "echo ssh-ed25519 AAAA eve >>.ssh/authorized_keys");
    const began = performance.now();
    await waitFor(
      "the line to go",
      async () => !(await sh(id, "cat /home/jane/.ssh/authorized_keys")).includes("eve"),
    );
    console.log(`undone after at most ${(performance.now() - began).toFixed(0)} ms`);
    expect((await login(privateIp, "true")).code).toBe(0);
  });

  test("shut a person out when the User goes, and end what they run", async () => {
    for (const { privateIp } of machines) await login(privateIp, "nohup sleep 600 >/dev/null 2>&1 & exit 0");
    const running = async (id: string): Promise<string> =>
      sh(id, "pgrep -u jane sleep || pgrep -x sleep -a || true");
    expect(await running("i-0a1")).not.toBe("");
    const began = performance.now();
    await fixture.direct.delete(USERS, { name: "jane" });
    await Promise.all(
      machines.map(({ privateIp }) =>
        waitFor(`no jane at ${privateIp}`, async () => (await login(privateIp, "true")).code === 255, 60_000),
      ),
    );
    console.log(`shut out of both machines after ${((performance.now() - began) / 1000).toFixed(2)} s`);
    for (const { id } of machines) {
      await waitFor("the end of what they ran", async () => !(await running(id)).includes("600"));
      expect(await sh(id, "getent passwd jane || echo gone")).toBe("gone\n");
      await waitFor(
        "the home to be closed",
        async () => (await sh(id, "stat -c '%u %a' /home/jane")) === "0 700\n",
      );
    }
  });

  test("run an upgrade as a service of the machine's own systemd, and tell how it ended", async () => {
    const { port } = server.address() as AddressInfo;
    const digest = `sha256:${createHash("sha256").update(SCRIPT).digest("hex")}`;
    const installer = { url: `https://localhost:${port}/installer`, digest, args: ["one two", "$HOME"] };
    const object = { metadata: { name: "up" }, spec: { version: "v1.36.0", installer } };
    const { metadata } = await fixture.direct.create(UPGRADES, object as unknown as UpgradeObject);
    const [{ id, hostname }] = machines as [(typeof machines)[number]];
    await handOver(fixture.direct, "up", hostname);
    const entry = await waitFor(
      "the end",
      async () => {
        const found = reportOn(await fixture.direct.get(NODES, { name: hostname }));
        return found?.exitCode === undefined ? undefined : found;
      },
      60_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${agents[0]?.lines.slice(-20).join("\n") ?? ""}`);
    });
    expect(entry).toMatchObject({ attempt: 1, exitCode: 3, installer: "Failed" });
    const unit = `fleetwright-upgrade-${metadata.uid ?? ""}.service`;
    // What it wrote stays on the machine, where the report says.
    expect(entry?.output ?? "").toBe("");
    const file = /(\/\S+\/output)\.$/.exec(entry?.installerMessage ?? "")?.[1] ?? "";
    expect(await sh(id, `cat '${file}'`)).toBe(`one two|$HOME|\nin ${unit}\n`);
    expect(await sh(id, `systemctl is-active ${unit} || true`)).toBe("inactive\n");
  });
});

const SCRIPT = `#!/bin/sh
printf '%s|' "$@"
echo
echo "in $(sed -n 's#.*/\\(fleetwright-upgrade-[^/]*\\)$#\\1#p' /proc/self/cgroup | head -n 1)"
exit 3
`;
