// Row 34 of the fault matrix: whatever is on a volume, in whatever shape, and however often its first use is cut short, it is never
// formatted unless it is blank. The observer is the digest of the disk's own file.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { repeatable, seededNumbers, testSeeds } from "../../../../test/harness/seed";
import { prepareVolume } from "./prepare-volume";

const MIB = 1024 * 1024;
const SIZE = 32 * MIB;

type Below = (limit: number) => number;

/** A disk with a file behind it. */
class Disk {
  readonly folder = mkdtempSync(join(tmpdir(), "fleetwright-row34-"));
  readonly file = join(this.folder, "disk");
  readonly mount = join(this.folder, "state");
  readonly device: string;

  constructor() {
    writeFileSync(this.file, "");
    truncateSync(this.file, SIZE);
    this.device = execFileSync("losetup", ["--find", "--show", this.file], { encoding: "utf8" }).trim();
  }

  script(change: { format: boolean; found: boolean; copy: boolean; member: string }): string {
    return prepareVolume({
      ...change,
      ...{ volume: "vol-1", cluster: "acme/dev/main", patience: 1 },
      ...{ mountPoint: this.mount, device: this.device, fstab: join(this.folder, "fstab") },
    });
  }

  write(place: number, bytes: Buffer): void {
    const handle = openSync(this.device, "r+");
    writeSync(handle, bytes, 0, bytes.length, place);
    closeSync(handle);
  }

  digest(): string {
    execFileSync("sync", [this.device]);
    return createHash("sha256").update(readFileSync(this.file)).digest("hex");
  }

  expectFiles(files: Readonly<Record<string, Buffer>>): void {
    mkdirSync(this.mount, { recursive: true });
    execFileSync("mount", ["-o", "ro", this.device, this.mount]);
    try {
      for (const [name, content] of Object.entries(files))
        expect(readFileSync(join(this.mount, name)).equals(content)).toBe(true);
    } finally {
      this.release();
    }
  }

  release(): void {
    spawnSync("umount", [this.mount]);
  }

  close(): void {
    this.release();
    execFileSync("losetup", ["--detach", this.device]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Fills a disk; gives the files on it, where they can still be read. */
type Fill = (disk: Disk, below: Below) => Readonly<Record<string, Buffer>> | undefined;

const CONTENTS: Readonly<Record<string, Fill>> = {
  "a file system with files": (disk, below) => makeFileSystem(disk, below),
  "a file system whose beginning was wiped": (disk, below) => {
    makeFileSystem(disk, below);
    disk.write(0, Buffer.alloc((1 + below(4)) * MIB));
    return undefined;
  },
  "swap space": (disk) => {
    execFileSync("mkswap", [disk.device], { stdio: "ignore" });
    return undefined;
  },
  "a partition table": (disk) => {
    disk.write(446, Buffer.from([0, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0]));
    disk.write(510, Buffer.from([0x55, 0xaa]));
    return undefined;
  },
  "the first bytes of LUKS, LVM, XFS or btrfs": (disk, below) => {
    const kinds = [
      ["LUKS\xba\xbe", 0],
      ["LABELONE", 512],
      ["XFSB", 0],
      ["_BHRfS_M", 64 * 1024 + 64],
    ] as const;
    const [text, place] = kinds[below(4)] ?? kinds[0];
    disk.write(place, Buffer.from(text, "latin1"));
    return undefined;
  },
  "some bytes near one of its ends": (disk, below) => {
    const bytes = Buffer.alloc(1 + below(64), 1 + below(255));
    const start = below(2) === 0 ? 0 : SIZE - MIB;
    disk.write(start + below(MIB - bytes.length), bytes);
    return undefined;
  },
  "the state of another member": (disk, below) => {
    const made = disk.script({ format: true, found: below(2) === 0, copy: false, member: "server-2" });
    execFileSync("bash", ["-c", made], { stdio: "ignore" });
    const data = Buffer.alloc(1 + below(MIB), 7);
    writeFileSync(join(disk.mount, "data"), data);
    disk.release();
    return { data };
  },
};

function makeFileSystem(disk: Disk, below: Below): Record<string, Buffer> {
  const folder = join(disk.folder, "files");
  mkdirSync(folder);
  // One is larger than what is wiped: a disk of nothing but zeros is blank.
  const files: Record<string, Buffer> = { large: Buffer.alloc(6 * MIB, 9) };
  for (let index = 0; index <= below(20); index++) {
    const content = Buffer.alloc(1 + below(MIB / 2), 1 + below(255));
    files[`file-${index}`] = content;
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const kind = ["ext2", "ext3", "ext4"][below(3)] ?? "ext4";
  const block = ["1024", "4096"][below(2)] ?? "4096";
  execFileSync("mke2fs", ["-q", "-t", kind, "-b", block, "-d", folder, disk.device]);
  return files;
}

describe("row 34: a volume that is not blank is never formatted", () => {
  it.each(testSeeds(20))("seed %i", (seed) =>
    repeatable(seed, __filename, () => {
      tryEachContent(seededNumbers(seed));
      return Promise.resolve();
    }),
  );
});

/** Every kind of content on a disk of its own, prepared twice as a new cluster's. */
function tryEachContent(below: Below): void {
  for (const [what, fill] of Object.entries(CONTENTS)) {
    const disk = new Disk();
    try {
      const files = fill(disk, below);
      const before = disk.digest();
      for (let time = 0; time < 2; time++) {
        const allowed = { format: true, found: below(2) === 0, copy: below(2) === 0, member: "server-0" };
        const { status, stdout, stderr } = spawnSync("bash", ["-c", disk.script(allowed)], {
          encoding: "utf8",
        });
        expect([what, status, stderr]).toEqual([what, 1, expect.stringContaining("Refused: ")]);
        expect(stdout).not.toContain("formatting");
        expect(spawnSync("mountpoint", ["--quiet", disk.mount]).status).not.toBe(0);
      }
      // A look at ext4 mounts it, which writes when that was: then its files are what has to be there.
      if (files === undefined) expect([what, disk.digest()]).toEqual([what, before]);
      else disk.expectFiles(files);
    } finally {
      disk.close();
    }
  }
}

describe("row 34: a first use that is killed", () => {
  it.each(testSeeds(20))("leaves what was written before whole, seed %i", (seed) =>
    repeatable(seed, __filename, async () => {
      const below = seededNumbers(seed + 1000);
      const disk = new Disk();
      const allowed = { format: true, found: true, copy: false, member: "server-0" };
      try {
        let wrote = false;
        for (let time = 0; time < 6; time++) {
          const child = spawn("bash", ["-c", disk.script(allowed)], { detached: true, stdio: "ignore" });
          const ended = once(child, "exit");
          await Promise.race([ended, pause(below(250))]);
          try {
            if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
          } catch {
            // It was done already.
          }
          await ended;
          const data = join(disk.mount, "data");
          if (wrote) {
            const mounted = spawnSync("mountpoint", ["--quiet", disk.mount]).status === 0;
            if (!mounted) continue;
            expect(readFileSync(data, "utf8")).toBe("kept");
          } else if (existsSync(join(disk.mount, ".fleetwright-state"))) {
            writeFileSync(data, "kept");
            wrote = true;
          }
          // As a machine that is killed: what was mounted is not any more.
          disk.release();
        }
        const { status, stderr } = spawnSync("bash", ["-c", disk.script(allowed)], { encoding: "utf8" });
        // Killed while it formatted, a volume may need a person; it is never formatted a second time over data.
        if (wrote) {
          expect([status, stderr]).toEqual([0, ""]);
          expect(readFileSync(join(disk.mount, "data"), "utf8")).toBe("kept");
        } else if (status !== 0) expect(stderr).toContain("Refused: ");
      } finally {
        disk.close();
      }
    }),
  );
});
