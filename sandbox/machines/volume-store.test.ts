import { booted, describeMachines, testMachineHost } from "./testing/machine-host";
import { machineSpecFixture } from "./testing/machine-spec";
import { waitFor } from "../../lib/deadline";

const DEVICE = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a1";

describeMachines("a volume", () => {
  const machineHost = testMachineHost();
  const sh = (id: string, script: string): Promise<string> =>
    machineHost.inside(id).run(["sh", "-euc", script]);
  const state = async () => (await machineHost.volumes.list()).find(({ id }) => id === "vol-0a1")?.state;

  beforeAll(async () => {
    await machineHost.open();
    await Promise.all([
      machineHost.launch(machineSpecFixture()),
      machineHost.launch(machineSpecFixture({ id: "i-0a2", privateIp: "10.0.1.11" })),
      machineHost.volumes.create({ id: "vol-0a1", sizeGiB: 1 }),
    ]);
    await Promise.all([booted(machineHost, "i-0a1"), booted(machineHost, "i-0a2")]);
  }, 600_000);
  afterAll(() => machineHost.destroy());

  test("appears when attached, is refused elsewhere, disappears when detached", async () => {
    await machineHost.volumes.attach("vol-0a1", "i-0a1", "/dev/sdf");
    expect(await sh("i-0a1", `readlink -f ${DEVICE}; blockdev --getsize64 ${DEVICE}`)).toBe(
      "/dev/nvme1n1\n1073741824\n",
    );
    await expect(machineHost.volumes.attach("vol-0a1", "i-0a2", "/dev/sdf")).rejects.toThrow(
      "The volume vol-0a1 is attached to i-0a1 and cannot be attached to i-0a2.",
    );
    await expect(machineHost.volumes.delete("vol-0a1")).rejects.toThrow("in use by i-0a1");
    await machineHost.volumes.detach("vol-0a1");
    expect(await sh("i-0a1", "ls /dev/disk/by-id; ls /dev | grep -c nvme || true")).toBe("0\n");
  });

  test("stays busy while it is mounted, and goes to another machine with its data", async () => {
    await machineHost.volumes.attach("vol-0a1", "i-0a1", "/dev/sdf");
    await sh("i-0a1", `mkfs.ext4 -q ${DEVICE}; mkdir -p /data; mount ${DEVICE} /data; echo one >/data/file`);
    let done = false;
    const detached = machineHost.volumes.detach("vol-0a1").then(() => (done = true));
    await waitFor("the volume to be busy", async () => (await state()) === "busy", { timeoutMs: 120_000 });
    expect(done).toBe(false);
    await sh("i-0a1", "umount /data");
    await detached;
    expect(await state()).toBe("available");
    await machineHost.volumes.attach("vol-0a1", "i-0a2", "/dev/sdf");
    expect(await sh("i-0a2", `mkdir -p /data; mount ${DEVICE} /data; cat /data/file`)).toBe("one\n");
  });

  test("keeps its data when the machine crashes and is replaced", async () => {
    await sh("i-0a2", "echo two >/data/file; sync /data/file");
    await machineHost.crash("i-0a2");
    await machineHost.terminate("i-0a2");
    expect(await state()).toBe("available");
    await machineHost.launch(machineSpecFixture({ id: "i-0a3", privateIp: "10.0.1.11" }));
    await machineHost.volumes.attach("vol-0a1", "i-0a3", "/dev/sdf");
    expect(await sh("i-0a3", `mkdir -p /data; mount ${DEVICE} /data; cat /data/file`)).toBe("two\n");
  });

  test("is mounted at boot where /etc/fstab names it", async () => {
    await sh("i-0a3", `echo "UUID=$(blkid -o value -s UUID ${DEVICE}) /data ext4 nofail 0 2" >>/etc/fstab`);
    await machineHost.reboot("i-0a3");
    await booted(machineHost, "i-0a3");
    expect(await sh("i-0a3", "findmnt -no FSTYPE /data; cat /data/file")).toBe("ext4\ntwo\n");
  });

  test("can be taken by force; what is written afterwards is lost and harms nobody", async () => {
    await sh("i-0a3", "echo three >/data/file; sync /data/file");
    await machineHost.volumes.detach("vol-0a1", { force: true });
    await sh("i-0a3", "echo lost >/data/file; sync /data/file || true");
    await machineHost.volumes.attach("vol-0a1", "i-0a1", "/dev/sdf");
    expect(await sh("i-0a1", `mount ${DEVICE} /data; cat /data/file`)).toBe("three\n");
  });

  test("grows, and comes back from a snapshot", async () => {
    await sh("i-0a1", "sync /data/file");
    await machineHost.volumes.snapshot("vol-0a1", "snap-0a1");
    await sh("i-0a1", "echo four >/data/file");
    await machineHost.volumes.resize("vol-0a1", 2);
    expect(await sh("i-0a1", `blockdev --getsize64 ${DEVICE}`)).toBe("2147483648\n");
    await machineHost.volumes.create({ id: "vol-0a2", sizeGiB: 1 }, { fromSnapshot: "snap-0a1" });
    await machineHost.volumes.attach("vol-0a2", "i-0a1", "/dev/sdg");
    expect(await sh("i-0a1", "mkdir -p /old; mount /dev/nvme2n1 /old; cat /old/file /data/file")).toBe(
      "three\nfour\n",
    );
  });
});
