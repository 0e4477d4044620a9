// What may open an account, checked by us and by OpenSSH.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import {
  ecdsa256,
  ecdsa384,
  ecdsa521,
  ed25519,
  keyOf,
  pointOf,
  rsaKey,
  tokenKeys,
} from "./testing/cases/ssh-keys";
import { sshPublicKey } from "./ssh-key";

const run = promisify(execFile);
const accepts = (line: string): boolean => sshPublicKey().safeParse(line).success;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fleetwright-keys-"));
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

test.each([
  ["ed25519", "", true],
  ["ecdsa", "256", true],
  ["ecdsa", "384", true],
  ["ecdsa", "521", true],
  ["rsa", "1024", false],
  ["rsa", "2048", false],
  ["rsa", "3072", true],
  ["rsa", "4096", true],
])("a key that ssh-keygen just made, %s %s: accepted is %s", async (algorithm, bits, accepted) => {
  const file = path.join(folder, `${algorithm}${bits}`);
  const size = bits === "" ? [] : ["-b", bits];
  await run("ssh-keygen", ["-q", "-t", algorithm, ...size, "-N", "", "-C", "jane's key", "-f", file]);
  const line = (await readFile(`${file}.pub`, "utf8")).trimEnd();
  expect([line, accepts(line)]).toEqual([line, accepted]);
  expect([line, accepts(`command="id" ${line}`)]).toEqual([line, false]);
});

test.each([1024, 2048, 3064, 3070, 3071, 3072, 3073, 3079, 3080, 4096, 8192, 16384])(
  "an RSA key of %s bits, by OpenSSH's own count, is accepted from 3072 bits on",
  async (bits) => {
    const line = rsaKey(bits);
    expect(await bitsOf(line)).toBe(bits);
    expect(accepts(line)).toBe(bits >= 3072);
  },
);

test.each(tokenKeys)("a key of a security token is accepted: %s", async (line) => {
  expect(accepts(line)).toBe(true);
});

const point = (size: number, curve: string) => keyOf(`ecdsa-sha2-${curve}`, curve, pointOf(size));
test.each([
  ["an Ed25519 key of 31 bytes", keyOf("ssh-ed25519", Array<number>(31).fill(1))],
  ["an Ed25519 key of 33 bytes", keyOf("ssh-ed25519", Array<number>(33).fill(1))],
  ["an Ed25519 key and something more", keyOf("ssh-ed25519", Array<number>(32).fill(1), "more")],
  ["a point that is too short", point(64, "nistp256")],
  ["a point of another curve", point(97, "nistp256")],
  ["a compressed point", keyOf("ecdsa-sha2-nistp256", "nistp256", [2, ...Array<number>(32).fill(1)])],
  ["a curve that is not the algorithm's", keyOf("ecdsa-sha2-nistp256", "nistp384", pointOf(65))],
  ["a negative modulus", keyOf("ssh-rsa", [1, 0, 1], Array<number>(385).fill(0xff))],
  [
    "a short modulus behind zeros",
    keyOf("ssh-rsa", [1, 0, 1], [...Array<number>(200).fill(0), ...pointOf(185)]),
  ],
  ["an RSA key without modulus", keyOf("ssh-rsa", [1, 0, 1])],
  ["a certificate", keyOf("ssh-ed25519-cert-v01@openssh.com", Array<number>(32).fill(1))],
  ["base64 with bits left over", ecdsa256.replace(/.=$/, "Z=")],
  ["base64 without padding", ecdsa384.replace(/=+$/, "")],
  ["base64 of URLs", ed25519.replace("/", "_")],
])("%s is refused", (_, line) => {
  expect([line, accepts(line)]).toEqual([line, false]);
});

test.each([ed25519, ecdsa256, ecdsa384, ecdsa521])(
  "what is refused is the change, not the key: %s",
  (line) => {
    expect(accepts(line)).toBe(true);
  },
);

async function bitsOf(line: string): Promise<number> {
  const file = path.join(folder, "checked.pub");
  await writeFile(file, `${line}\n`);
  return Number.parseInt((await run("ssh-keygen", ["-l", "-f", file])).stdout, 10);
}
