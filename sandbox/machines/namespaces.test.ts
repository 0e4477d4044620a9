import { machineRunner } from "./availability";
import { booted, describeMachines, tracesOf, TrialKeys, trialHall } from "./trial-hall";
import { trialMachine } from "./trial-machine";

test("plain namespaces run machines where they are asked for", () => {
  expect(machineRunner({ FLEETWRIGHT_MACHINES: "namespaces" })).toBe("namespaces");
});

describeMachines("a machine in plain namespaces, as where systemd-nspawn is missing", () => {
  const keys = new TrialKeys();
  const hall = trialHall();
  const machine = trialMachine({ authorizedKeys: [keys.publicKey("login")], userData: keys.userData() });
  const { FLEETWRIGHT_MACHINES: before } = process.env;

  beforeAll(async () => {
    process.env.FLEETWRIGHT_MACHINES = "namespaces";
    await hall.open();
    await hall.launch(machine);
    await booted(hall, machine.id);
  });
  afterAll(async () => {
    await hall.destroy();
    if (before === undefined) delete process.env.FLEETWRIGHT_MACHINES;
    else process.env.FLEETWRIGHT_MACHINES = before;
    await keys.remove();
  });

  test("is a whole system that one can log into, with its own name and nothing failed", async () => {
    const found = await keys.eventually(
      hall,
      machine.privateIp,
      "systemd-detect-virt --container; hostname; systemctl --failed --no-legend | wc -l; cat /sys/class/net/eth0/address",
    );
    expect(found).toMatch(/^\S+\nip-10-0-1-10\n0\n02:fa:/);
  });

  test("sees neither the host's files nor its processes, and cannot change its kernel", async () => {
    const shell = hall.inside(machine.id);
    expect(await shell.run(["sh", "-c", "ps -e | grep -c jest || true"])).toBe("0\n");
    expect((await shell.attempt(["test", "-e", __filename])).code).toBe(1);
    expect((await shell.attempt(["sh", "-c", "echo 1 >/proc/sys/kernel/panic"])).code).not.toBe(0);
    expect((await shell.attempt(["sh", "-c", "echo 0 >/proc/sys/net/ipv4/ip_forward"])).code).toBe(0);
  });

  test("keeps its disk and volumes over a reboot, and a stop and a start", async () => {
    await hall.volumes.create({ id: "vol-0a", sizeGiB: 1 });
    await hall.volumes.attach("vol-0a", machine.id, "/dev/sdf");
    const device = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a";
    const write = `mkfs.ext4 -q ${device} && mount ${device} /mnt && echo data >/mnt/file && umount /mnt && echo disk >/root/file`;
    await hall.inside(machine.id).run(["sh", "-ec", write]);
    await hall.reboot(machine.id);
    await booted(hall, machine.id);
    await hall.stop(machine.id);
    expect((await hall.list()).map(({ state }) => state)).toEqual(["stopped"]);
    await hall.start(machine.id);
    await booted(hall, machine.id);
    const read = `mount ${device} /mnt && cat /mnt/file /root/file && umount /mnt`;
    expect(await hall.inside(machine.id).run(["sh", "-ec", read])).toBe("data\ndisk\n");
  });

  test("is gone without a trace when its power is cut and it is terminated", async () => {
    await hall.crash(machine.id);
    expect((await hall.list()).map(({ state }) => state)).toEqual(["crashed"]);
    await hall.terminate(machine.id);
    const { dir } = hall;
    await hall.close();
    expect(await tracesOf(dir)).toEqual([]);
  });
});
