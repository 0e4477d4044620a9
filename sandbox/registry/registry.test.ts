import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import os from "node:os";
import path from "node:path";
import { packImage } from "../machines/images";
import { ImageRegistry, ImageStore, parseName, type StoredImage } from ".";

let work: string;
let store: ImageStore;
let registry: ImageRegistry;
let image: StoredImage;
let base: string;

beforeAll(async () => {
  work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-registry-"));
  const rootfs = path.join(work, "rootfs");
  await mkdir(rootfs);
  await writeFile(path.join(rootfs, "hello"), "hello\n");
  const archive = path.join(work, "hello.tar");
  await packImage(rootfs, { name: "registry.test/greetings/hello:1", entrypoint: ["/hello"] }, archive);
  store = new ImageStore(path.join(work, "store"));
  const [first, second] = [await store.add(archive), await store.add(archive)];
  expect(second).toEqual(first);
  [image] = first as [StoredImage];
  registry = new ImageRegistry(store);
  base = `http://127.0.0.1:${await registry.listen()}/v2`;
});

afterAll(async () => {
  await registry.close();
  await rm(work, { recursive: true });
});

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const bytesOf = async (target: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(`${base}/${target}`)).arrayBuffer());

it("names an image by its digest", () => {
  expect(image).toMatchObject({ host: "registry.test", repository: "greetings/hello", tag: "1" });
  expect(image.reference).toBe(`registry.test/greetings/hello@${image.digest}`);
});

it("answers that it is a registry", async () => {
  expect((await fetch(`${base}/`)).status).toBe(200);
});

it("gives a manifest by tag and by digest, and every part of it under its own digest", async () => {
  const byTag = await bytesOf("greetings/hello/manifests/1");
  const byDigest = await bytesOf(`greetings/hello/manifests/${image.digest}`);
  expect(digestOf(byTag)).toBe(image.digest);
  expect(byDigest).toEqual(byTag);
  const manifest = JSON.parse(Buffer.from(byTag).toString()) as {
    config: { digest: string };
    layers: { digest: string; size: number }[];
  };
  for (const { digest } of [manifest.config, ...manifest.layers]) {
    expect(digestOf(await bytesOf(`greetings/hello/blobs/${digest}`))).toBe(digest);
  }
  const [layer] = manifest.layers;
  const head = await fetch(`${base}/greetings/hello/blobs/${layer?.digest ?? ""}`, { method: "HEAD" });
  expect(Number(head.headers.get("content-length"))).toBe(layer?.size);
});

it.each([
  ["an unknown tag", "greetings/hello/manifests/2", "MANIFEST_UNKNOWN"],
  ["an unknown repository", "farewells/bye/manifests/1", "MANIFEST_UNKNOWN"],
  ["an unknown blob", `greetings/hello/blobs/sha256:${"0".repeat(64)}`, "BLOB_UNKNOWN"],
  ["a digest that is none", "greetings/hello/blobs/sha256:12", "BLOB_UNKNOWN"],
])("says in a registry's words that it does not have %s", async (_, target, code) => {
  const answer = await fetch(`${base}/${target}`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ errors: [{ code }] });
});

it("gives nothing from outside of its folder", async () => {
  // fetch would tidy up the path.
  const status = await new Promise((resolve, reject) => {
    const { port } = new URL(base);
    request({ port, path: "/v2/x/manifests/..%2f..%2f..%2fetc%2fpasswd" }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(404);
});

it("takes no image", async () => {
  const answer = await fetch(`${base}/greetings/hello/blobs/uploads/`, { method: "POST" });
  expect(answer.status).toBe(405);
});

it.each(["hello", "hello:1", "registry.test/hello", "registry.test/Hello:1", "registry.test/../hello:1"])(
  "does not take %j for the name of an image",
  (name) => {
    expect(() => parseName(name)).toThrow(/needs a name/);
  },
);
