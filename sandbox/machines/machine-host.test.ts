import { waitFor } from "../../lib/deadline";
import type { MachineHost } from "./machine-host";
import { booted, describeMachines, testMachineHost } from "./testing/machine-host";
import { SshKeys } from "./testing/ssh-keys";
import { tracesOf } from "./testing/traces";
import { machineSpecFixture } from "./testing/machine-spec";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

describeMachines("a machine", () => {
  const keys = new SshKeys();
  const machineHost = testMachineHost();
  let dir = "";
  const [ip, id] = ["10.0.1.10", "i-0a1"];
  const sh = (script: string, machine = id): Promise<string> =>
    machineHost.inside(machine).run(["sh", "-euc", script]);
  const state = async (machine = id) =>
    (await machineHost.list()).find((found) => found.id === machine)?.state;

  beforeAll(async () => {
    await machineHost.open();
    dir = machineHost.dir;
    const userData = keys.userData({ runcmd: ["echo ran >>/var/lib/user-data"] });
    await machineHost.launch(machineSpecFixture({ authorizedKeys: [keys.publicKey("login")], userData }));
  }, 600_000);
  afterAll(async () => {
    await machineHost.destroy();
    await keys.remove();
    expect(await tracesOf(dir)).toEqual([]);
  });

  test("is logged into over SSH, known by the host key that its user data brought", async () => {
    const printed = await keys.eventually(machineHost, ip, "id -un; sudo id -un; hostname; ps -p 1 -o comm=");
    expect(printed.split("\n")).toEqual(["debian", "root", "ip-10-0-1-10", "systemd", ""]);
    const others = new SshKeys();
    const wrong = await others.login(machineHost, ip, "true");
    await others.remove();
    expect(wrong.code).toBe(255);
    expect(wrong.stderr).toMatch(/host key|identification/i);
  });

  test("has no failed service and lets nobody in as root", async () => {
    await booted(machineHost, id);
    expect((await machineHost.inside(id).run(["systemctl", "is-system-running"])).trim()).toBe("running");
    expect(await sh("sshd -T | grep -E '^(permitrootlogin|passwordauthentication) '")).toBe(
      "permitrootlogin without-password\npasswordauthentication no\n",
    );
    expect(await machineHost.console(id)).toMatch(/Cloud-init v\. .* finished/);
  });

  test("goes on whatever it says on its console", async () => {
    // Its first process says there what takes long, and would stand still with all others if nobody took it.
    const script = "head -c 200000 /dev/zero >/dev/console && echo all";
    expect(await machineHost.inside(id).run(["timeout", "20", "sh", "-c", script])).toBe("all\n");
  });

  test("runs its user data once for its id, not at a reboot or a start", async () => {
    await booted(machineHost, id);
    expect(await sh("cat /var/lib/user-data")).toBe("ran\n");
    const before = await sh(`cat ${BOOT_ID}`);
    await machineHost.reboot(id);
    await booted(machineHost, id);
    expect(await sh(`cat ${BOOT_ID}`)).not.toBe(before);
    await machineHost.stop(id);
    expect(await state()).toBe("stopped");
    await machineHost.start(id);
    await booted(machineHost, id);
    expect(await sh("cat /var/lib/user-data")).toBe("ran\n");
  });

  test("boots again when it reboots itself, and is stopped when it switches itself off", async () => {
    const before = await sh(`cat ${BOOT_ID}`);
    // Whoever asks a machine that is going down may never get an answer.
    await machineHost.inside(id).attempt(["timeout", "20", "systemctl", "--no-block", "reboot"]);
    await waitFor(
      "another boot",
      async () => {
        const { code, stdout } = await machineHost.inside(id).attempt(["timeout", "20", "cat", BOOT_ID]);
        return code === 0 && stdout !== before;
      },
      { timeoutMs: 120_000 },
    );
    await booted(machineHost, id);
    await machineHost.inside(id).attempt(["timeout", "20", "systemctl", "--no-block", "poweroff"]);
    await waitFor("the machine to be off", async () => (await state()) === "stopped", { timeoutMs: 120_000 });
  });

  test("runs the user data of another id on a copy of its disk", async () => {
    const userData = "#!/bin/sh\necho second >>/var/lib/user-data\n";
    const copy = machineSpecFixture({
      id: "i-0a2",
      privateIp: "10.0.2.10",
      subnetCidr: "10.0.2.0/24",
      userData,
    });
    await machineHost.stop(id);
    await machineHost.launch(copy, { rootFrom: id });
    await booted(machineHost, "i-0a2");
    expect(await sh("cat /var/lib/user-data", "i-0a2")).toBe("ran\nsecond\n");
    await machineHost.start(id);
    await booted(machineHost, id);
    // Two subnets, one router.
    expect((await machineHost.inside("i-0a2").attempt(["ping", "-c1", "-W2", ip])).code).toBe(0);
    await machineHost.terminate("i-0a2");
    expect((await machineHost.list()).map((machine) => machine.id)).toEqual([id]);
  });

  test("is down after a crash until it is started again", async () => {
    await machineHost.crash(id);
    expect(await state()).toBe("crashed");
    expect(() => machineHost.inside(id)).toThrow("The machine i-0a1 is not running.");
    await machineHost.start(id);
    expect(await state()).toBe("running");
  });

  test("does not see a machine of another machine host with the same addresses", async () => {
    const other: MachineHost = testMachineHost();
    await other.open();
    try {
      await other.launch(machineSpecFixture({ hostname: "other" }));
      await booted(other, id);
      expect((await other.inside(id).run(["hostname"])).trim()).toBe("other");
      expect((await sh("hostname")).trim()).toBe("ip-10-0-1-10");
      await sh(
        "echo mine >/run/mine; systemd-run --quiet socat TCP-LISTEN:7000,fork,reuseaddr EXEC:'cat /run/mine'",
      );
      const ask = (from: MachineHost) =>
        from.exec(["curl", "-s", "-m", "2", "--http0.9", `http://${ip}:7000/`]);
      await waitFor("the listener", async () => (await ask(machineHost)).stdout === "mine\n", {
        timeoutMs: 120_000,
      });
      expect((await ask(other)).code).not.toBe(0);
    } finally {
      await other.destroy();
    }
  });

  test("cannot have an address or id that is taken", async () => {
    await expect(machineHost.launch(machineSpecFixture())).rejects.toThrow(
      "The machine i-0a1 already exists.",
    );
    await expect(machineHost.launch(machineSpecFixture({ id: "i-0a9" }))).rejects.toThrow(
      "The address 10.0.1.10 of i-0a9 is in use by i-0a1.",
    );
  });
});
