import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** `describe` where files can be given away, which takes root; elsewhere a skipped one whose name says so. */
export function describeHosts(name: string, suite: () => void): void {
  if (process.getuid?.() === 0) describe(name, suite);
  else describe.skip(`${name} (skipped: only root can give files to others)`, suite);
}

const PASSWD = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
debian:x:1000:1000:Debian:/home/debian:/bin/bash
# a comment that somebody left
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
`;

/** A folder that looks like the root of a host, as far as the agent cares. */
export class HostFixture {
  readonly root: string;

  /** In memory where there is a memory disk: thousands of writes that wait for the disk would test the disk. */
  constructor(base = existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir()) {
    this.root = mkdtempSync(path.join(base, "fleetwright-host-"));
    for (const folder of ["etc/sudoers.d", "home/debian", "var/lib", "proc/1"])
      mkdirSync(path.join(this.root, folder), { recursive: true });
    this.put("etc/passwd", PASSWD);
    this.put(
      "etc/shadow",
      "root:*:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\ndebian:!:::::::\n",
      0o640,
    );
    this.put("etc/group", "root:x:0:\ndaemon:x:1:\nsudo:x:27:debian\ndebian:x:1000:\n");
    this.put("etc/gshadow", "root:*::\ndaemon:*::\nsudo:*::debian\ndebian:!::\n", 0o640);
    this.put("etc/shells", "# shells\n/bin/sh\n/bin/bash\n");
    this.put("etc/sudoers.d/README", "# not ours\n", 0o440);
    this.put("home/debian/notes", "mine\n");
    this.put("proc/1/mountinfo", "");
  }

  /** Where something is on this machine. */
  at(file: string): string {
    return path.join(this.root, file);
  }

  put(file: string, text: string, mode = 0o644): void {
    writeFileSync(this.at(file), text, { mode });
  }

  read(file: string): string {
    return readFileSync(this.at(file), "utf8");
  }

  /** The text of a file, or undefined. */
  maybe(file: string): string | undefined {
    try {
      return this.read(file);
    } catch {
      return undefined;
    }
  }

  /** Owner and mode of something, as `0:0 0700`. */
  ownership(file: string): string {
    const { uid, gid, mode } = statSync(this.at(file));
    return `${uid}:${gid} ${(mode & 0o7777).toString(8).padStart(4, "0")}`;
  }

  /** The key lines that let a login in: none without an account. */
  opens(login: string): string[] {
    if (!this.read("etc/passwd").includes(`\n${login}:`)) return [];
    return (this.maybe(`home/${login}/.ssh/authorized_keys`) ?? "")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  }

  /** Everything that the host had before the agent came, to see that it is untouched. */
  foreign(): string {
    const foreignLines = (file: string): string[] =>
      this.read(file)
        .split("\n")
        .filter((line) => /^((root|daemon|debian|nobody|sudo):|#|$)/.test(line));
    return JSON.stringify([
      ...["etc/passwd", "etc/shadow", "etc/group", "etc/gshadow"].map((file) => [
        foreignLines(file),
        this.ownership(file),
      ]),
      this.read("etc/sudoers.d/README"),
      this.read("home/debian/notes"),
      this.ownership("home/debian"),
    ]);
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
