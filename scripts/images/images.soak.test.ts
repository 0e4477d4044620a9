// The images of both processors, built twice, run, and pushed to the registry that Debian ships. Programs come from
// Debian's packages, unpacked into a folder: nothing is installed.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { freePort } from "../../lib/port";
import { silentProgress } from "../../lib/progress";
import { IMAGE_NODE } from "../../sandbox/node-release";
import { buildImages, type BuiltImage } from "./build";
import { Layout } from "./oci-layout";
import { PLATFORMS } from "./platforms";
import { pushImages } from "./push";
import { RegistryClient } from "./registry-client";
import { parseTarget } from "./registry-name";
import { openImages } from "./testing/opened-images";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-images-soak-"));
const children: ChildProcess[] = [];
let built: BuiltImage[];

/** Unpacks a package of Debian. What needs one that cannot be had fails: a test that is left out proves nothing. */
function debian(name: string): string {
  const folder = path.join(work, name);
  mkdirSync(folder);
  try {
    execFileSync("apt-get", ["download", name], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error(
      `This test needs Debian's package ${name}, and apt-get download ${name} did not bring it. Run it on Debian or Ubuntu, after apt-get update.`,
      { cause: error },
    );
  }
  const archive = readdirSync(folder).find((file) => file.endsWith(".deb")) ?? "";
  execFileSync("dpkg-deb", ["--extract", path.join(folder, archive), folder]);
  return folder;
}

beforeAll(async () => {
  built = await buildImages({ out: path.join(work, "one"), tag: "1", platforms: PLATFORMS }, silentProgress);
});
afterAll(async () => {
  for (const child of children) child.kill();
  await rm(work, { recursive: true });
});

test("a second build gives the same digests", async () => {
  const again = await buildImages(
    { out: path.join(work, "two"), tag: "1", platforms: PLATFORMS },
    silentProgress,
  );
  expect(again.map(({ digest }) => digest)).toEqual(built.map(({ digest }) => digest));
});

test("the image for arm64 runs with nothing but what is in it (needs qemu-user-static)", async () => {
  const emulator = path.join(debian("qemu-user-static"), "usr/bin/qemu-aarch64-static");
  for (const { program, folder } of built) {
    const [, image] = await openImages(await Layout.open(folder));
    const rootfs = path.join(work, `${program}-arm64`);
    mkdirSync(rootfs);
    for (const layer of image?.layers ?? [])
      execFileSync("tar", ["-xzf", "-", "-C", rootfs], { input: layer });
    execFileSync("cp", [emulator, rootfs]);
    const inside = (...args: string[]): string =>
      execFileSync(
        "unshare",
        ["--map-root-user", "--root", rootfs, "/qemu-aarch64-static", "/usr/bin/node", ...args],
        { encoding: "utf8" },
      );
    expect(inside("-p", "process.arch + process.version")).toBe(`arm64v${IMAGE_NODE.version}\n`);
    expect(inside(`/app/${program}.js`, "--help")).toMatch(/^ {2}(registries|users) /m);
  }
});

describe("the registry that Debian ships (needs docker-registry)", () => {
  let address: string;
  // What `htpasswd -nbB robot hunter2` prints.
  const login = { username: "robot", password: "hunter2" };
  beforeAll(async () => {
    const program = path.join(debian("docker-registry"), "usr/bin/docker-registry");
    address = `127.0.0.1:${await freePort()}`;
    const accounts = path.join(work, "htpasswd");
    writeFileSync(accounts, "robot:$2y$05$abcdefghijklmnopqrstuuoXuKqgZXLiJqzfmMXDDhSFPIvxV7t8.\n");
    const settings = path.join(work, "registry.yml");
    writeFileSync(
      settings,
      `version: 0.1
storage: {filesystem: {rootdirectory: ${work}/registry}}
http: {addr: "${address}"}
auth: {htpasswd: {realm: test, path: ${accounts}}}
`,
    );
    children.push(spawn(program, ["serve", settings], { stdio: "ignore" }));
    await waitFor(
      "the registry answers",
      async () => (await fetch(`http://${address}/v2/`).catch(() => undefined)) !== undefined,
      { timeoutMs: 60_000 },
    );
  });

  test("takes the images, and sends nothing twice", async () => {
    const target = parseTarget(`${address}/team/fleetwright`);
    const push = (): ReturnType<typeof pushImages> =>
      pushImages({ from: path.join(work, "one"), tag: undefined, target, login }, silentProgress);
    const [coordinator, agent] = await push();
    expect(coordinator?.blobs.uploaded).toBe(8);
    // Both base layers and the empty object come from the coordinator's repository.
    expect(agent?.blobs).toMatchObject({ mounted: 3, uploaded: 5 });
    for (const { blobs } of await push()) expect(blobs).toMatchObject({ mounted: 0, uploaded: 0 });
  });

  test("keeps no account of referrers, so they are found under the tag of the specification", async () => {
    const client = new RegistryClient(parseTarget(address), login);
    const [subject] = await openImages(await Layout.open(path.join(work, "one", "agent")));
    const tag = subject?.digest.replace(":", "-") ?? "";
    expect(await client.readIndex("team/fleetwright/agent", tag)).toMatchObject([
      { artifactType: "application/spdx+json" },
    ]);
  });

  test("refuses the wrong password in words", async () => {
    const target = parseTarget(address);
    const wrong = { username: "robot", password: "wrong" };
    await expect(
      pushImages({ from: path.join(work, "one"), tag: undefined, target, login: wrong }, silentProgress),
    ).rejects.toThrow(/refused .*401.*The login may not push there/);
  });
});
