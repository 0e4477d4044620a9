import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { publicKey } from "../../../test/harness/agent/keys";
import { describeHosts, HostFixture } from "../../../test/harness/agent/host-fixture";
import { repeatable, testSeed } from "../../../test/harness/seed";
import { seededRandom, silentLogger } from "../../runtime";
import { HostRoot } from "../host";
import { UIDS } from "./plan";
import { AccountApplier, type ApplyOutcome } from "./apply";
import type { Login } from "../../../api/login";

const NOW = Date.UTC(2026, 0, 1);
const login = (name: string, more: Partial<Login> = {}): Login => ({
  name,
  fullName: "",
  sudo: false,
  keys: [{ line: publicKey(name) }],
  ...more,
});

describeHosts("the accounts of a host", () => {
  let host: HostFixture;
  let foreign: string;
  let applier: AccountApplier;
  const newApplier = (guard?: () => void, root = host.root): AccountApplier =>
    new AccountApplier({
      root: new HostRoot(root, guard),
      homesFolder: "/home",
      proc: "/proc",
      endSessions: true,
      log: silentLogger,
    });
  const pass = (...logins: Login[]): Promise<ApplyOutcome> => applier.apply(logins, "all", NOW);
  beforeEach(() => {
    host = new HostFixture();
    foreign = host.foreign();
    applier = newApplier();
  });
  afterEach(async () => {
    expect(host.foreign()).toBe(foreign);
    expect(readdirSync(host.at("etc")).filter((name) => /\.lock$|fleetwright-|\.\d+$/.test(name))).toEqual(
      [],
    );
    await host.remove();
  });

  test("are made with home, keys and sudo rule, each with its owner and mode", async () => {
    const { refused, findings } = await pass(login("ada", { fullName: "Ada Lovelace", sudo: true }));
    expect([refused.size, findings.size]).toEqual([0, 0]);
    const entry = host.read("etc/passwd").split("\n").at(-2) ?? "";
    const uid = Number(entry.split(":")[2]);
    expect(uid).toBeGreaterThanOrEqual(UIDS.first);
    expect(entry).toBe(`ada:x:${uid}:${uid}:Ada Lovelace,,,,fleetwright:/home/ada:/bin/bash`);
    expect(host.read("etc/shadow")).toMatch(/^ada:\*:/m);
    expect(host.read("etc/group")).toMatch(new RegExp(`^ada:x:${uid}:$`, "m"));
    expect(host.read("etc/gshadow")).toMatch(/^ada:!::$/m);
    expect(host.ownership("etc/shadow")).toBe("0:0 0640");
    expect(host.ownership("home/ada")).toBe(`${uid}:${uid} 0700`);
    expect(host.ownership("home/ada/.ssh")).toBe(`${uid}:${uid} 0700`);
    expect(host.ownership("home/ada/.ssh/authorized_keys")).toBe(`${uid}:${uid} 0600`);
    expect(host.opens("ada")).toEqual([publicKey("ada")]);
    expect(host.read("etc/sudoers.d/fleetwright")).toMatch(/^ada ALL=\(ALL:ALL\) NOPASSWD: ALL$/m);
    expect(host.ownership("etc/sudoers.d/fleetwright")).toBe("0:0 0440");
  });

  test("are left exactly as they are when nothing changes", async () => {
    await pass(login("ada"), login("grace", { sudo: true }));
    const stamps = (): string =>
      execFileSync("find", [host.root, "-printf", "%p %T@ %C@ %i\n"], { encoding: "utf8" });
    const before = stamps();
    await pass(login("ada"), login("grace", { sudo: true }));
    await newApplier().apply([login("ada"), login("grace", { sudo: true })], "all", NOW);
    expect(stamps()).toBe(before);
  });

  test("go with their User, and the home stays, closed, until the login comes back", async () => {
    await pass(login("ada", { sudo: true }));
    const mine = host.ownership("home/ada");
    writeFileSync(host.at("home/ada/diary"), "dear diary");
    await pass();
    expect(host.read("etc/passwd")).not.toContain("ada");
    expect(host.read("etc/shadow")).not.toContain("ada");
    expect(host.read("etc/group")).not.toContain("ada");
    expect(existsSync(host.at("home/ada/.ssh/authorized_keys"))).toBe(false);
    expect(existsSync(host.at("etc/sudoers.d/fleetwright"))).toBe(false);
    expect(host.ownership("home/ada")).toBe("0:0 0700");
    await pass(login("grace"));
    await pass(login("ada"), login("grace"));
    expect(host.ownership("home/ada")).toBe(mine);
    expect(host.read("home/ada/diary")).toBe("dear diary");
  });

  test("leave names of others in another encoding as they are, to the byte, and have their own in UTF-8", async () => {
    const latin1 = Buffer.from("jose:x:1003:1003:Jos\u00e9:/home/jose:/bin/sh\n", "latin1");
    writeFileSync(host.at("etc/passwd"), Buffer.concat([readFileSync(host.at("etc/passwd")), latin1]));
    await pass(login("ada", { fullName: "Ad\u00e8le \u4f50" }));
    const passwd = readFileSync(host.at("etc/passwd"));
    expect(passwd.includes(latin1)).toBe(true);
    expect(passwd.includes(Buffer.from("Ad\u00e8le \u4f50,,,,fleetwright", "utf8"))).toBe(true);
    const before = execFileSync("stat", ["-c", "%i", host.at("etc/passwd")], { encoding: "utf8" });
    await newApplier().apply([login("ada", { fullName: "Ad\u00e8le \u4f50" })], "all", NOW);
    expect(execFileSync("stat", ["-c", "%i", host.at("etc/passwd")], { encoding: "utf8" })).toBe(before);
  });

  test("end with the processes that run under them", async () => {
    await pass(login("ada"));
    const uid = Number(host.ownership("home/ada").split(":")[0]);
    const child = execFileSync("setpriv", [
      `--reuid=${uid}`,
      "--clear-groups",
      "sh",
      "-c",
      "sleep 600 >/dev/null 2>&1 & echo $!",
    ]);
    const pid = Number(child.toString());
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    await pass();
    // Its parent has not asked for it yet, but it runs no more.
    const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
    expect(status === "" || status.includes("zombie")).toBe(true);
  });

  test.each<[string, (host: HostFixture) => void, string]>([
    [
      "an account",
      (one) => one.put("etc/passwd", `${one.read("etc/passwd")}ada:x:1001:1001::/home/ada:/bin/sh\n`),
      "AccountExists",
    ],
    [
      "an entry in shadow",
      (one) => one.put("etc/shadow", `${one.read("etc/shadow")}ada:!:::::::\n`, 0o640),
      "AccountExists",
    ],
    ["a group", (one) => one.put("etc/group", `${one.read("etc/group")}ada:x:1001:\n`), "GroupExists"],
    ["a home", (one) => mkdirSync(one.at("home/ada")), "HomeExists"],
  ])("are refused where %s of that name exists, and nothing is written", async (_what, arrange, reason) => {
    arrange(host);
    const before = execFileSync("find", [host.root, "-printf", "%p %T@ %C@\n"], { encoding: "utf8" });
    const { refused } = await pass(login("ada"));
    expect(refused.get("ada")?.reason).toBe(reason);
    expect(execFileSync("find", [host.root, "-printf", "%p %T@ %C@\n"], { encoding: "utf8" })).toBe(before);
  });

  test("are refused no longer once what was in the way is gone, without being touched again", async () => {
    const without = host.read("etc/passwd");
    host.put("etc/passwd", `${without}ada:x:1001:1001::/home/ada:/bin/sh\n`);
    await pass(login("ada"));
    host.put("etc/passwd", without);
    const { refused } = await applier.apply([login("ada")], new Set(), NOW);
    expect(refused.size).toBe(0);
    expect(host.opens("ada")).toEqual([publicKey("ada")]);
  });

  test("are taken up again by their mark when the record is lost, with the same ids", async () => {
    await pass(login("ada"));
    const before = host.read("etc/passwd");
    rmSync(host.at("var/lib/fleetwright"), { recursive: true });
    await newApplier().apply([login("ada")], "all", NOW);
    expect(host.read("etc/passwd")).toBe(before);
    rmSync(host.at("var/lib/fleetwright"), { recursive: true });
    await newApplier().apply([], "all", NOW);
    expect(host.read("etc/passwd")).not.toContain("ada");
  });

  test("are no longer ours once someone else has created an account of that name", async () => {
    await pass(login("ada"));
    const own = "ada:x:1001:1001:Another Ada:/home/ada:/bin/sh";
    host.put("etc/passwd", host.read("etc/passwd").replace(/^ada:.*$/m, own));
    const { refused } = await pass(login("ada"));
    expect(refused.get("ada")?.reason).toBe("AccountExists");
    await pass();
    expect(host.read("etc/passwd")).toContain(own);
  });

  test("lose no line that another program adds while they are changed", async () => {
    let writes = 0;
    const line = "late:x:1002:1002::/home/late:/bin/sh\n";
    applier = newApplier(() => {
      writes += 1;
      if (writes === 12 && !host.read("etc/passwd").includes(line))
        host.put("etc/passwd", `${host.read("etc/passwd")}${line}`);
    });
    for (let attempt = 0; attempt < 3; attempt++) await pass(login("ada"), login("grace")).catch(() => {});
    expect(host.read("etc/passwd")).toContain(line);
    expect(host.opens("grace")).toHaveLength(1);
  });

  test("are not changed while a tool of the host holds its lock, and are when that tool is gone", async () => {
    writeFileSync(host.at("etc/passwd.lock"), `${process.ppid}\0`);
    await expect(pass(login("ada"))).rejects.toThrow(/is locked by process/);
    expect(host.read("etc/passwd")).not.toContain("ada");
    writeFileSync(host.at("etc/passwd.lock"), "999999999\0");
    await pass(login("ada"));
    expect(host.opens("ada")).toHaveLength(1);
  });

  test.each<[string, (file: string, host: HostFixture) => void, RegExp]>([
    [
      "a line added",
      (file) => writeFileSync(file, `${publicKey("ada")}\n${publicKey("eve")}\n`),
      /foreign lines? \(.*SHA256:/,
    ],
    ["the file removed", (file) => rmSync(file), /authorized_keys was missing/],
    [
      "more keys in another file",
      (file) => writeFileSync(`${file}2`, publicKey("eve")),
      /there was authorized_keys2/,
    ],
    ["another mode", (file) => chmodSync(file, 0o644), /mode 0644/],
    ["another owner", (file) => chownSync(file, 0, 0), /owner 0/],
    [
      "a symbolic link instead",
      (file, one) => {
        rmSync(file);
        symlinkSync(one.at("etc/shadow"), file);
      },
      /symbolic link to .*shadow/,
    ],
    [
      "a folder instead",
      (file) => {
        rmSync(file);
        mkdirSync(path.join(file, "x"), { recursive: true });
      },
      /not a file/,
    ],
    [
      "its folder a symbolic link",
      (file, one) => {
        rmSync(path.dirname(file), { recursive: true });
        symlinkSync(one.at("etc"), path.dirname(file));
      },
      /\.ssh was not a folder/,
    ],
    ["its folder removed", (file) => rmSync(path.dirname(file), { recursive: true }), /\.ssh was missing/],
    ["its folder open to all", (file) => chmodSync(path.dirname(file), 0o777), /\.ssh had owner .* 0777/],
    [
      "the home open to all",
      (file) => chmodSync(path.dirname(path.dirname(file)), 0o777),
      /home had mode 0777/,
    ],
  ])("have their keys put back after tampering: %s", async (_what, tamper, finding) => {
    await pass(login("ada"));
    const whole = host.read("home/ada/.ssh/authorized_keys");
    const mine = host.ownership("home/ada/.ssh/authorized_keys");
    tamper(host.at("home/ada/.ssh/authorized_keys"), host);
    const { findings } = await applier.apply([login("ada")], new Set(["ada"]), NOW);
    expect(findings.get("ada")?.join("; ")).toMatch(finding);
    expect(host.read("home/ada/.ssh/authorized_keys")).toBe(whole);
    expect(host.ownership("home/ada/.ssh/authorized_keys")).toBe(mine);
    expect(lstatSync(host.at("home/ada/.ssh")).isDirectory()).toBe(true);
    expect(existsSync(host.at("home/ada/.ssh/authorized_keys2"))).toBe(false);
    expect((await pass(login("ada"))).findings.size).toBe(0);
  });

  test("have their entries and the sudo rules put back after tampering", async () => {
    await pass(login("ada", { sudo: true }));
    const whole = host.read("etc/passwd");
    host.put("etc/passwd", whole.replace(/^ada:x:\d+:\d+/m, "ada:x:0:0"));
    host.put("etc/sudoers.d/fleetwright", "eve ALL=(ALL) NOPASSWD: ALL\n");
    const { findings } = await pass(login("ada", { sudo: true }));
    expect(findings.get("ada")).toEqual(["its entry in /etc/passwd was changed"]);
    expect(findings.get("")).toEqual(["/etc/sudoers.d/fleetwright was changed"]);
    expect(host.read("etc/passwd")).toBe(whole);
    expect(host.read("etc/sudoers.d/fleetwright")).not.toContain("eve");
  });

  test("follow no symbolic link that replaces a folder of the host", async () => {
    renameSync(host.at("home"), host.at("elsewhere"));
    symlinkSync(host.at("elsewhere"), host.at("home"));
    await expect(pass(login("ada"))).rejects.toThrow(/\/home is a symbolic link .* does not follow/);
    rmSync(host.at("home"));
    renameSync(host.at("elsewhere"), host.at("home"));
  });

  test("a key that cannot be replaced is taken away, if the old file would let in who must not", async () => {
    await pass(login("ada", { keys: [{ line: publicKey("old") }] }));
    // No more room for a new file, but enough to remove one.
    applier = newApplier();
    const uid = Number(host.ownership("home/ada").split(":")[0]);
    expect(uid).toBeGreaterThan(0);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", host.at("home/ada")]);
    try {
      chownSync(host.at("home/ada"), uid, uid);
      await pass(login("ada", { keys: [{ line: publicKey("old") }] }));
      execFileSync("sh", ["-c", 'cat /dev/zero >"$1" 2>/dev/null || true', "sh", host.at("home/ada/full")]);
      const { updated } = await pass(login("ada", { keys: [{ line: publicKey("new") }] }));
      expect(updated.get("ada")?.reason).toBe("DiskFull");
      expect(host.opens("ada")).toEqual([]);
      rmSync(host.at("home/ada/full"));
      await pass(login("ada", { keys: [{ line: publicKey("new") }] }));
      expect(host.opens("ada")).toEqual([publicKey("new")]);
      execFileSync("mount", ["-o", "remount,ro", host.at("home/ada")]);
      const { updated: readOnly } = await pass(login("ada", { keys: [] }));
      expect(readOnly.get("ada")?.reason).toBe("ReadOnly");
    } finally {
      execFileSync("umount", [host.at("home/ada")]);
    }
  });

  test("are whole again after a crash before any of the writes", async () => {
    const before = [login("ada", { sudo: true }), login("grace")];
    const after = [login("ada", { keys: [{ line: publicKey("new") }] }), login("joan", { sudo: true })];
    let deaths = 0;
    for (let write = 1; ; write++) {
      const one = new HostFixture();
      await newApplier(undefined, one.root).apply(before, "all", NOW);
      let count = 0;
      const dying = newApplier(() => {
        count += 1;
        // Once dead, everything fails: nothing can tidy up after itself.
        if (count >= write) throw new Error("died");
      }, one.root);
      const died = await dying.apply(after, "all", NOW).then(
        ({ updated }) => [...updated.values()].some((refusal) => refusal !== undefined),
        () => true,
      );
      // Who was shut out is shut out of the whole host or not yet; never is there an account with half of its files.
      await newApplier(undefined, one.root).apply(after, "all", NOW);
      expect(one.opens("ada")).toEqual([publicKey("new")]);
      expect(one.opens("joan")).toEqual([publicKey("joan")]);
      expect(one.opens("grace")).toEqual([]);
      expect(one.read("etc/passwd") + one.read("etc/shadow") + one.read("etc/group")).not.toContain("grace");
      expect(one.read("etc/sudoers.d/fleetwright")).not.toContain("ada");
      expect(one.ownership("home/grace")).toBe("0:0 0700");
      expect(one.foreign()).toBe(foreign);
      expect(execFileSync("find", [one.root, "-name", ".fleetwright-*"], { encoding: "utf8" }).trim()).toBe(
        "",
      );
      await one.remove();
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(25);
  }, 900_000);

  test("agree with a model after 10,000 random operations", async () => {
    const seed = testSeed();
    await repeatable(seed, __filename, async () => {
      const random = seededRandom(seed);
      const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
      const names = ["ada", "grace", "joan", "mary-k", "x", "debian-2"];
      const model = new Map<string, Login>();
      const keysFile = (name: string): string => host.at(`home/${name}/.ssh/authorized_keys`);
      const present = (name: string): boolean => existsSync(keysFile(name));
      const dirty = new Set<string>();
      // A file of the test's own: the operations below write and change modes through the link.
      const lure = host.at("lure");
      writeFileSync(lure, "");
      const operations: ((name: string) => void)[] = [
        (name) => model.set(name, login(name, { sudo: random() < 0.3 })),
        (name) => {
          const keys = Array.from({ length: Math.floor(random() * 4) }, (_, index) => ({
            line: publicKey(`${name}-${index}`),
            ...(random() < 0.3 ? { notAfter: NOW + (random() - 0.5) * 1e9 } : {}),
          }));
          if (model.has(name)) model.set(name, login(name, { keys, sudo: random() < 0.3 }));
        },
        (name) => model.delete(name),
        (name) => present(name) && writeFileSync(keysFile(name), `${publicKey("eve")}\n`),
        (name) => present(name) && rmSync(keysFile(name)),
        (name) => present(name) && chmodSync(keysFile(name), 0o666),
        (name) => {
          if (!present(name)) return;
          rmSync(keysFile(name));
          symlinkSync(lure, keysFile(name));
        },
        (name) =>
          host.put("etc/passwd", host.read("etc/passwd").replace(new RegExp(`^${name}:.*\n`, "m"), "")),
        (name) =>
          host.put(
            "etc/passwd",
            host.read("etc/passwd").replace(new RegExp(`^${name}:x:\\d+`, "m"), `${name}:x:0`),
          ),
        () => host.put("etc/sudoers.d/fleetwright", "eve ALL=(ALL) ALL\n"),
        () => rmSync(host.at("etc/sudoers.d/fleetwright"), { force: true }),
        (name) => rmSync(host.at(`home/${name}`), { recursive: true, force: true }),
        () => (applier = newApplier()),
      ];
      for (let step = 0; step < 10_000;) {
        const burst = 1 + Math.floor(random() * 40);
        for (let index = 0; index < burst; index++, step++) {
          const name = pick(names);
          pick(operations)(name);
          dirty.add(name);
        }
        const logins = [...model.values()];
        await applier.apply(logins, dirty, NOW);
        dirty.clear();
        for (const name of names) {
          const wanted = model.get(name);
          const lines = (wanted?.keys ?? [])
            .filter(({ notAfter }) => notAfter === undefined || notAfter > NOW)
            .map(({ line }) => line);
          expect(host.opens(name)).toEqual(lines);
          const entries = host
            .read("etc/passwd")
            .split("\n")
            .filter((line) => line.startsWith(`${name}:`));
          expect(entries).toHaveLength(wanted === undefined ? 0 : 1);
          if (wanted !== undefined) expect(entries[0]).toMatch(/:x:7\d{4}:7\d{4}:/);
        }
        const may = (host.maybe("etc/sudoers.d/fleetwright") ?? "")
          .split("\n")
          .filter((line) => line !== "" && !line.startsWith("#"))
          .map((line) => line.split(" ")[0]);
        expect(may).toEqual(
          logins
            .filter(({ sudo }) => sudo)
            .map(({ name }) => name)
            .sort(),
        );
        expect(host.foreign()).toBe(foreign);
      }
    });
  }, 900_000);
});
