import { machineRunner } from "./availability";
import { booted, describeMachines, testMachineHost } from "./testing/machine-host";
import { SshKeys } from "./testing/ssh-keys";
import { tracesOf } from "./testing/traces";
import { machineSpecFixture } from "./testing/machine-spec";

test("plain namespaces run machines where they are asked for", () => {
  expect(machineRunner({ FLEETWRIGHT_MACHINES: "namespaces" })).toBe("namespaces");
});

describeMachines("a machine in plain namespaces, as where systemd-nspawn is missing", () => {
  const keys = new SshKeys();
  const machineHost = testMachineHost();
  const machine = machineSpecFixture({
    authorizedKeys: [keys.publicKey("login")],
    userData: keys.userData(),
  });
  const { FLEETWRIGHT_MACHINES: before } = process.env;

  beforeAll(async () => {
    process.env.FLEETWRIGHT_MACHINES = "namespaces";
    await machineHost.open();
    await machineHost.launch(machine);
    await booted(machineHost, machine.id);
  });
  afterAll(async () => {
    await machineHost.destroy();
    if (before === undefined) delete process.env.FLEETWRIGHT_MACHINES;
    else process.env.FLEETWRIGHT_MACHINES = before;
    await keys.remove();
  });

  test("is a whole system that one can log into, with its own name and nothing failed", async () => {
    const found = await keys.eventually(
      machineHost,
      machine.privateIp,
      "systemd-detect-virt --container; hostname; systemctl --failed --no-legend | wc -l; cat /sys/class/net/eth0/address",
    );
    expect(found).toMatch(/^\S+\nip-10-0-1-10\n0\n02:fa:/);
  });

  test("sees neither the host's files nor its processes, and cannot change its kernel", async () => {
    const shell = machineHost.inside(machine.id);
    expect(await shell.run(["sh", "-c", "ps -e | grep -c jest || true"])).toBe("0\n");
    expect((await shell.attempt(["test", "-e", __filename])).code).toBe(1);
    expect((await shell.attempt(["sh", "-c", "echo 1 >/proc/sys/kernel/panic"])).code).not.toBe(0);
    expect((await shell.attempt(["sh", "-c", "echo 0 >/proc/sys/net/ipv4/ip_forward"])).code).toBe(0);
  });

  test("keeps its disk and volumes over a reboot, and a stop and a start", async () => {
    await machineHost.volumes.create({ id: "vol-0a", sizeGiB: 1 });
    await machineHost.volumes.attach("vol-0a", machine.id, "/dev/sdf");
    const device = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a";
    const write = `mkfs.ext4 -q ${device} && mount ${device} /mnt && echo data >/mnt/file && umount /mnt && echo disk >/root/file`;
    await machineHost.inside(machine.id).run(["sh", "-ec", write]);
    await machineHost.reboot(machine.id);
    await booted(machineHost, machine.id);
    await machineHost.stop(machine.id);
    expect((await machineHost.list()).map(({ state }) => state)).toEqual(["stopped"]);
    await machineHost.start(machine.id);
    await booted(machineHost, machine.id);
    const read = `mount ${device} /mnt && cat /mnt/file /root/file && umount /mnt`;
    expect(await machineHost.inside(machine.id).run(["sh", "-ec", read])).toBe("data\ndisk\n");
  });

  test("is gone without a trace when its power is cut and it is terminated", async () => {
    await machineHost.crash(machine.id);
    expect((await machineHost.list()).map(({ state }) => state)).toEqual(["crashed"]);
    await machineHost.terminate(machine.id);
    const { dir } = machineHost;
    await machineHost.close();
    expect(await tracesOf(dir)).toEqual([]);
  });
});
