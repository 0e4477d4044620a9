import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { IMAGE_NODE } from "../../node-release";
import { packImage, packNodeImage } from "./index";
import { parseLibraries } from "./node-image";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-images-"));
afterAll(() => rm(work, { recursive: true }));

const read = (archive: string, name: string): string =>
  execFileSync("tar", ["-xOf", archive, name], { encoding: "utf8" });

test("a folder becomes an image of one layer, the same bytes each time", async () => {
  const rootfs = path.join(work, "rootfs");
  mkdirSync(path.join(rootfs, "etc"), { recursive: true });
  writeFileSync(path.join(rootfs, "etc/motd"), "hello\n");
  const settings = {
    name: "fleetwright.dev/hello:1",
    entrypoint: ["/bin/hello"],
    env: { A: "b" },
    user: "1:1",
  };
  const [one, two] = [path.join(work, "one.tar"), path.join(work, "two.tar")];
  await packImage(rootfs, settings, one);
  await packImage(rootfs, settings, two);
  expect(readFileSync(one).equals(readFileSync(two))).toBe(true);
  const [entry] = JSON.parse(read(one, "manifest.json")) as [{ Config: string; RepoTags: string[] }];
  expect(entry.RepoTags).toEqual(["fleetwright.dev/hello:1"]);
  expect(JSON.parse(read(one, entry.Config))).toMatchObject({
    os: "linux",
    config: { Entrypoint: ["/bin/hello"], Env: ["A=b"], User: "1:1", WorkingDir: "/" },
    rootfs: { diff_ids: [expect.stringMatching(/^sha256:[0-9a-f]{64}$/)] },
  });
});

test("the image of a Node program runs with nothing but what is in it", async () => {
  const program = path.join(work, "hello.js");
  writeFileSync(program, "console.log(`hello from ${process.version}`);\n");
  const archive = path.join(work, "node.tar");
  await packNodeImage({ name: "fleetwright.dev/node:1", source: program, main: "hello.js" }, archive);
  const rootfs = path.join(work, "node-rootfs");
  mkdirSync(rootfs);
  execFileSync("tar", ["-xf", "-", "-C", rootfs], {
    input: execFileSync("tar", ["-xOf", archive, "layer.tar"], { maxBuffer: 1 << 30 }),
  });
  const inside = ["--map-root-user", "--root", rootfs, "/usr/bin/node", "/app/hello.js"];
  expect(execFileSync("unshare", inside, { encoding: "utf8" })).toBe(`hello from v${IMAGE_NODE.version}\n`);
});

test("libraries are those with a path, each once", () => {
  const text = `\tlinux-vdso.so.1 (0x00007ffc)
\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f)`;
  expect(parseLibraries(text)).toEqual([
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib/x86_64-linux-gnu/libdl.so.2",
    "/lib64/ld-linux-x86-64.so.2",
  ]);
});
