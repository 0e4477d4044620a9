import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { FileStore } from "../../../test/harness/coordinator";
import { artifactDocuments, credentialFor, layerDocuments } from "./artifact";
import { Downloader, isRemote } from "./download";
import { MAX_BYTES } from "./manifest";

const sha = (bytes: string | Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
const OBJECT = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const { signal } = new AbortController();

let downloader: Downloader;
let store: FileStore;

beforeAll(async () => {
  store = await FileStore.start();
  downloader = new Downloader(store.download);
});
afterAll(() => store.stop());
beforeEach(() => store.clear());

const file = (path: string, digest: string): Promise<Buffer> =>
  downloader.file(new URL(`https://${store.host}${path}`), digest, { signal });

test("a file with the right digest is taken, one with another is not", async () => {
  store.files.set("/a.yaml", Buffer.from(MANIFEST));
  expect((await file("/a.yaml", sha(MANIFEST))).toString()).toBe(MANIFEST);
  await expect(file("/a.yaml", sha("other"))).rejects.toMatchObject({ reason: "DigestMismatch" });
  await expect(file("/b.yaml", sha("other"))).rejects.toMatchObject({
    reason: "SourceUnreachable",
    transient: true,
  });
});

test("a redirect is followed a few times, to https only, and without the credential of the one before", async () => {
  store.files.set("/a", Buffer.from(MANIFEST));
  store.files.set("/once", { code: 302, headers: { location: "/a" } });
  store.files.set("/round", { code: 302, headers: { location: "/round" } });
  store.files.set("/plain", { code: 302, headers: { location: "http://localhost/a" } });
  store.files.set("/away", {
    code: 307,
    headers: { location: `https://127.0.0.1:${store.host.split(":")[1] ?? ""}/a` },
  });
  expect((await file("/once", sha(MANIFEST))).toString()).toBe(MANIFEST);
  await expect(file("/round", sha(MANIFEST))).rejects.toThrow(/more than 3 times/);
  await expect(file("/plain", sha(MANIFEST))).rejects.toThrow(/not a plain https address/);
  store.seen.length = 0;
  const answer = await downloader.get({
    url: new URL(`https://${store.host}/away`),
    headers: { authorization: "Basic x" },
    signal,
  });
  expect(answer.code).toBe(200);
  expect(store.seen.map(({ authorization }) => authorization)).toEqual(["Basic x", undefined]);
});

test("more than the bound is not read to its end", async () => {
  store.files.set("/big", Buffer.alloc(MAX_BYTES + 1));
  await expect(file("/big", sha("x"))).rejects.toThrow(/more than 4194304 bytes/);
});

test("the machine itself is never asked, by whatever name", async () => {
  const strict = new Downloader({ ca: store.download.ca });
  for (const address of [store.host, "127.0.0.1:1", "169.254.169.254", "[::1]:1", "0.0.0.0"])
    await expect(
      strict.file(new URL(`https://${address}/latest`), sha("x"), { signal }),
    ).rejects.toMatchObject({ reason: "SourceRefused" });
  expect(store.seen).toEqual([]);
});

test.each([
  ["10.0.0.1", true],
  ["192.168.1.1", true],
  ["93.184.216.34", true],
  ["2606:4700::1", true],
  ["127.9.9.9", false],
  ["169.254.169.254", false],
  ["0.0.0.0", false],
  ["224.0.0.1", false],
  ["::1", false],
  ["fe80::1", false],
  ["fd00:ec2::254", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:7f00:1", false],
  ["nonsense", false],
])("whether %s is somewhere else: %s", (address, remote) => {
  expect(isRemote(address)).toBe(remote);
});

/** A tar archive of one block of header for each file. */
function tar(entries: readonly { name: string; text?: string; type?: string }[]): Buffer {
  const blocks = entries.flatMap(({ name, text = "", type = "0" }) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${Buffer.byteLength(text).toString(8).padStart(11, "0")}\0`, 124);
    header.write("        ", 148);
    header.write(type, 156);
    header.write("ustar\x0000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    body.write(text);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

test("a layer is YAML or an archive of it, zipped or not; links and other files are left out", async () => {
  const archive = tar([
    { name: "./b.yaml", text: MANIFEST.replace("name: a", "name: b") },
    { name: "./a.yml", text: MANIFEST },
    { name: "./README.md", text: "text: [" },
    { name: "./link.yaml", type: "2" },
  ]);
  const two = [OBJECT, { ...OBJECT, metadata: { name: "b" } }];
  expect(await layerDocuments(Buffer.from(MANIFEST), "x")).toEqual([OBJECT]);
  expect(await layerDocuments(archive, "x")).toEqual(two);
  expect(await layerDocuments(gzipSync(archive), "x")).toEqual(two);
  await expect(layerDocuments(gzipSync(Buffer.alloc(3 * MAX_BYTES)), "x")).rejects.toThrow(/more than/);
  archive[0] = 1;
  await expect(layerDocuments(archive, "x")).rejects.toThrow(/not a complete tar archive/);
});

test("an artifact is taken by the digests of its manifest and layers, whichever tag it has", async () => {
  const layer = Buffer.from(MANIFEST);
  const reference = store.push("team/plugin", layer);
  expect(await artifactDocuments(downloader, reference, undefined, signal)).toEqual([OBJECT]);
  store.files.set(`/v2/team/plugin/blobs/${sha(layer)}`, Buffer.from(MANIFEST.replace("a", "b")));
  await expect(artifactDocuments(downloader, reference, undefined, signal)).rejects.toMatchObject({
    reason: "DigestMismatch",
  });
});

test("a private artifact is pulled with the pull secret, and without it the fix is reported", async () => {
  const reference = store.push("private/plugin", Buffer.from(MANIFEST));
  const config = JSON.stringify({
    auths: { [`https://${store.host}/v1/`]: { username: "ada", password: "secret" } },
  });
  expect(await artifactDocuments(downloader, reference, config, signal)).toEqual([OBJECT]);
  expect(store.seen.find(({ path }) => path.startsWith("/token"))?.path).toBe(
    "/token?service=here&scope=repository%3Aprivate%2Fplugin%3Apull",
  );
  await expect(artifactDocuments(downloader, reference, undefined, signal)).rejects.toThrow(
    /spec\.source\.oci\.pullSecretRef/,
  );
  expect(() => credentialFor("other.example.com", config)).toThrow(/has no entry for other\.example\.com/);
});

test("an index of images is refused with what to give instead", async () => {
  const index = JSON.stringify({ schemaVersion: 2, manifests: [] });
  store.files.set(`/v2/a/manifests/${sha(index)}`, Buffer.from(index));
  await expect(
    artifactDocuments(downloader, `${store.host}/a@${sha(index)}`, undefined, signal),
  ).rejects.toThrow(/give the digest of the artifact itself/);
});
