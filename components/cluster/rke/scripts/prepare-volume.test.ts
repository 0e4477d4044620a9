import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bindState } from "./bind-state";
import { prepareVolume, volumeDevice, type VolumePreparation } from "./prepare-volume";

const canUseDevices = process.getuid?.() === 0 && existsSync("/dev/loop-control");
// Without root these are shown as skipped.
const onDevices = canUseDevices ? describe : describe.skip;

it("finds a volume by its serial number", () => {
  expect(volumeDevice("vol-0123456789abcdef0")).toBe(
    "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0",
  );
});

/** One partition in an old-style table, which is all zeros but for these bytes. */
function partitionTable(device: string): void {
  const sector = Buffer.alloc(512);
  Buffer.from([0, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0]).copy(sector, 446);
  sector.writeUInt16LE(0xaa55, 510);
  const handle = openSync(device, "r+");
  writeSync(handle, sector);
  closeSync(handle);
}

/** Growing a mounted file system takes a capability that root in a container may lack. */
const canGrow = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
const growing = (BigInt(`0x${canGrow}`) >> 24n) & 1n ? it : it.skip;

onDevices("a state volume on a real device", () => {
  let folder: string;
  const loops: string[] = [];
  const paths = { mount: "", fstab: "", device: "" };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "fleetwright-volume-"));
    paths.mount = join(folder, "state");
    paths.fstab = join(folder, "fstab");
    paths.device = join(folder, "by-id");
    writeFileSync(paths.fstab, "# the image's own\nLABEL=root / ext4 defaults 0 1\n");
    symlinkSync(disk("disk"), paths.device);
  });

  afterEach(() => {
    for (const point of [join(paths.mount, "rke2/agent/containerd"), join(folder, "node"), paths.mount]) {
      spawnSync("umount", [point]);
    }
    for (const loop of loops.splice(0)) spawnSync("losetup", ["--detach", loop]);
    rmSync(folder, { recursive: true, force: true });
  });

  function disk(name: string): string {
    const file = join(folder, name);
    writeFileSync(file, "");
    truncateSync(file, 16 * 1024 * 1024);
    const loop = execFileSync("losetup", ["--find", "--show", file], { encoding: "utf8" }).trim();
    loops.push(loop);
    return loop;
  }

  function prepare(change: Partial<VolumePreparation> = {}): {
    code: number | null;
    out: string;
    err: string;
  } {
    const text = prepareVolume({
      volume: "vol-1",
      cluster: "acme/dev/main",
      member: "server-0",
      format: false,
      found: false,
      copy: false,
      mountPoint: paths.mount,
      device: paths.device,
      fstab: paths.fstab,
      patience: 1,
      ...change,
    });
    const { status, stdout, stderr } = spawnSync("bash", ["-c", text], { encoding: "utf8" });
    return { code: status, out: stdout, err: stderr };
  }

  const marker = (): string => readFileSync(join(paths.mount, ".fleetwright-state"), "utf8");
  const isMounted = (): boolean => spawnSync("mountpoint", ["--quiet", paths.mount]).status === 0;
  const unmount = (): void => void execFileSync("umount", [paths.mount]);
  const refusal = (change: Partial<VolumePreparation> = {}): string => {
    const { code, err } = prepare(change);
    expect(code).toBe(1);
    expect(isMounted()).toBe(false);
    return err;
  };

  it("is formatted when it is blank and may be, marked, mounted and remembered", () => {
    const { code, out } = prepare({ format: true, found: true });
    expect(out).toContain("formatting the blank volume vol-1");
    expect(code).toBe(0);
    expect(marker()).toBe("cluster=acme/dev/main\nmember=server-0\nvolume=vol-1\n");
    expect(existsSync(join(paths.mount, ".fleetwright-may-found"))).toBe(true);
    expect(readFileSync(paths.fstab, "utf8")).toBe(
      `# the image's own\nLABEL=root / ext4 defaults 0 1\n${paths.device} ${paths.mount} ext4 defaults,noatime,nofail,x-systemd.device-timeout=60s 0 2\n`,
    );
  });

  it("is left as it is by every further preparation", () => {
    prepare({ format: true, found: true });
    writeFileSync(join(paths.mount, "data"), "kept");
    const before = readFileSync(paths.fstab, "utf8");
    expect(prepare({ format: true, found: true })).toMatchObject({ code: 0, err: "" });
    expect(prepare().code).toBe(0);
    unmount();
    expect(prepare({ format: true, found: true }).out).not.toContain("formatting");
    expect(readFileSync(join(paths.mount, "data"), "utf8")).toBe("kept");
    expect(readFileSync(paths.fstab, "utf8")).toBe(before);
  });

  it("gives no permission to found a cluster to a member that joins again", () => {
    expect(prepare({ format: true }).code).toBe(0);
    expect(existsSync(join(paths.mount, ".fleetwright-may-found"))).toBe(false);
  });

  it("is refused when it is blank and was not to be", () => {
    expect(refusal()).toMatch(
      /^Refused: the state volume vol-1 of server-0 is blank.*bootstrap: true.*add "server-0" to rejoin/,
    );
    expect(spawnSync("blkid", ["--probe", paths.device]).status).toBe(2);
  });

  it("is refused when it is another member's or another cluster's", () => {
    prepare({ format: true });
    unmount();
    expect(refusal({ member: "server-1" })).toContain(
      "the volume vol-1 belongs to server-0 of acme/dev/main, not to server-1 of acme/dev/main",
    );
    expect(refusal({ cluster: "acme/prod/main", format: true })).toContain(
      "belongs to server-0 of acme/dev/main",
    );
    expect(prepare().code).toBe(0);
  });

  it("is refused when it is a copy, unless copies are expected", () => {
    prepare({ format: true });
    unmount();
    expect(refusal({ volume: "vol-2" })).toContain("the volume vol-2 is a copy of vol-1");
    expect(prepare({ volume: "vol-2", copy: true }).code).toBe(0);
    expect(marker()).toContain("volume=vol-2\n");
  });

  it("is refused when it holds a file system without a mark", () => {
    execFileSync("mkfs.ext4", ["-q", paths.device]);
    mkdirSync(paths.mount);
    execFileSync("mount", [paths.device, paths.mount]);
    writeFileSync(join(paths.mount, "somebody's"), "");
    unmount();
    expect(refusal({ format: true })).toContain("no .fleetwright-state says that it is the state volume");
  });

  it("is taken when only its mark is missing because a format was cut short, and only then", () => {
    execFileSync("mkfs.ext4", ["-q", paths.device]);
    expect(refusal()).toContain("no .fleetwright-state");
    expect(prepare({ format: true }).code).toBe(0);
    expect(marker()).toContain("member=server-0");
  });

  it.each([
    ["a partition table", partitionTable],
    ["another file system", (device: string) => spawnSync("mkfs.ext3", ["-q", device])],
    ["swap space", (device: string) => spawnSync("mkswap", [device])],
    [
      "bytes that nobody knows",
      (device: string) => spawnSync("bash", ["-c", `printf x | dd of=${device} bs=1 seek=4096 conv=notrunc`]),
    ],
    [
      "a file system whose beginning was wiped",
      (device: string) => {
        spawnSync("mkfs.ext4", ["-q", device]);
        spawnSync("dd", ["if=/dev/zero", `of=${device}`, "bs=1M", "count=2", "conv=notrunc"]);
      },
    ],
    [
      "something at its very end",
      (device: string) =>
        spawnSync("bash", [
          "-c",
          `printf x | dd of=${device} bs=1 seek=${16 * 1024 * 1024 - 1} conv=notrunc`,
        ]),
    ],
  ])("is refused when it holds %s", (_what, fill) => {
    fill(paths.device);
    expect(refusal({ format: true })).toContain("holds something that is not ours");
  });

  it("is refused when it is not attached", () => {
    expect(refusal({ device: join(folder, "nothing") })).toContain("did not appear within 1 s");
  });

  it("is refused when something else is mounted in its place", () => {
    const other = disk("other");
    execFileSync("mkfs.ext4", ["-q", other]);
    mkdirSync(paths.mount);
    execFileSync("mount", [other, paths.mount]);
    const { code, err } = prepare({ format: true });
    expect([code, err]).toEqual([1, expect.stringContaining(`is mounted at ${paths.mount}: ${other}`)]);
  });

  it("is refused when the root disk has data in its place", () => {
    mkdirSync(join(paths.mount, "rke2"), { recursive: true });
    expect(refusal({ format: true })).toContain("RKE2 has run here without its state volume");
  });

  growing("grows with its volume", () => {
    prepare({ format: true });
    const size = (): number =>
      Number(execFileSync("stat", ["-f", "-c", "%b", paths.mount], { encoding: "utf8" }));
    const before = size();
    truncateSync(join(folder, "disk"), 64 * 1024 * 1024);
    execFileSync("losetup", ["--set-capacity", loops[0] ?? ""]);
    expect(prepare().code).toBe(0);
    expect(size()).toBeGreaterThan(before * 2);
  });

  it("keeps the node's password, and images only where the root disk cannot", () => {
    prepare({ format: true });
    const bind = bindState({
      mountPoint: paths.mount,
      passwordFolder: join(folder, "node"),
      containerFolder: join(folder, "containerd/images"),
      fstab: paths.fstab,
    });
    for (let round = 0; round < 2; round++) {
      expect(spawnSync("bash", ["-c", bind], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    }
    writeFileSync(join(folder, "node/password"), "p");
    expect(readFileSync(join(paths.mount, "node/password"), "utf8")).toBe("p");
    const lines = readFileSync(paths.fstab, "utf8").match(/requires-mounts-for/g);
    expect([1, 2]).toContain(lines?.length);
  });

  it("binds nothing where the volume is missing", () => {
    const bind = bindState({
      mountPoint: paths.mount,
      passwordFolder: join(folder, "node"),
      fstab: paths.fstab,
    });
    const { status, stderr } = spawnSync("bash", ["-c", bind], { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("is not the state volume of this server")]);
  });
});
