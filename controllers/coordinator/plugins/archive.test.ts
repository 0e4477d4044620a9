// Archives made by the system's tar in each of its formats, and malformed ones.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { filesIn, unzipped } from "./archive";
import { MAX_BYTES } from "./manifest";

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), "archive-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

function tar(format: string): Buffer {
  return execFileSync("tar", [`--format=${format}`, "-C", folder, "-cf", "-", "."], { maxBuffer: 1 << 28 });
}

async function namesAndTexts(archive: Buffer): Promise<[string, string][]> {
  return (await filesIn(archive, "x")).map(({ name, bytes }) => [name, bytes.toString("utf8")]);
}

const LONG_FOLDER = `${"manifests-of-a-plugin/".repeat(5)}base`;
const LONG_NAME = `${"a-very-long-name-".repeat(8)}of-a-file.yaml`;

test.each([
  ["gnu", `${LONG_FOLDER}/${LONG_NAME}`],
  ["ustar", `${LONG_FOLDER}/deployment.yaml`],
  ["pax", `${LONG_FOLDER}/${LONG_NAME}`],
  ["pax", `a-ünïcode/${"ü".repeat(60)}.yaml`],
])("in the format %s the file %s keeps its whole name", async (format, name) => {
  write(name, "kind: A\n");
  write("z.yaml", "kind: Z\n");
  expect(await namesAndTexts(tar(format))).toEqual([
    [`./${name}`, "kind: A\n"],
    ["./z.yaml", "kind: Z\n"],
  ]);
});

test("links, folders and devices are left out, and files are sorted by name", async () => {
  for (const name of ["b.yaml", "a/c.yaml", "a.yaml"]) write(name, name);
  symlinkSync("/etc/passwd", path.join(folder, "link.yaml"));
  expect((await namesAndTexts(tar("gnu"))).map(([name]) => name)).toEqual([
    "./a.yaml",
    "./a/c.yaml",
    "./b.yaml",
  ]);
});

test("a path that leaves the archive is refused", async () => {
  write("in/a.yaml", "kind: A\n");
  const archive = execFileSync("tar", ["-P", "-C", path.join(folder, "in"), "-cf", "-", "../in/a.yaml"]);
  await expect(filesIn(archive, "x")).rejects.toThrow(/"\.\.\/in\/a\.yaml"/);
});

test("an archive of too many entries is refused", async () => {
  for (let index = 0; index < 4001; index++) write(`${index}`, "");
  await expect(filesIn(tar("ustar"), "x")).rejects.toThrow(/more than 4000 entries/);
});

test.each<[string, (archive: Buffer) => Buffer]>([
  ["cut off in a file", (archive) => archive.subarray(0, 1536 + 100)],
  [
    "with a damaged header",
    (archive) => {
      archive[515] = 1;
      return archive;
    },
  ],
  [
    "that claims more than it holds",
    (archive) => {
      archive.write("77777777777\0", 512 + 124);
      return archive;
    },
  ],
])("an archive %s is refused", async (_, change) => {
  write("a.yaml", "a".repeat(2000));
  await expect(filesIn(change(tar("ustar")), "x")).rejects.toThrow(/^x is not a complete tar archive/);
});

test("what unzips to too much is refused", () => {
  expect(() => unzipped(gzipSync(Buffer.alloc(3 * MAX_BYTES)), "x")).toThrow(/more than/);
});
