import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { certifiedKey, daysFromNow, publicKeyOf, type CertifiedKey, type KeyKind } from "./certificate";

const run = promisify(execFile);
let dir: string;
let authority: CertifiedKey;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fleetwright-certificate-test-"));
  authority = await makeAuthority("an authority");
  await writeFile(join(dir, "ca.crt"), authority.certificate);
});

afterAll(() => rm(dir, { recursive: true, force: true }));

test.each<[KeyKind, string]>([
  ["ecdsa-p256", "ASN1 OID: prime256v1"],
  ["ecdsa-p384", "ASN1 OID: secp384r1"],
  ["rsa-2048", "Public-Key: (2048 bit)"],
  ["ed25519", "ED25519 Public-Key"],
])("openssl accepts a server certificate with a key of kind %s", async (kind, text) => {
  const made = await certifiedKey(
    {
      subject: { commonName: "server", organizations: ["one", "two"] },
      names: { dns: ["localhost", "a.example"], ips: ["127.0.0.1", "::1"], uris: ["spiffe://x/y"] },
      usages: ["digitalSignature", "serverAuth", "clientAuth"],
      notAfter: daysFromNow(10),
    },
    authority,
    kind,
  );
  const [certificate, key] = await write(kind, made);
  const verified = await openssl(
    "verify",
    "-x509_strict",
    "-purpose",
    "sslserver",
    "-CAfile",
    join(dir, "ca.crt"),
    certificate,
  );
  expect(verified).toContain("OK");
  const shown = await openssl("x509", "-in", certificate, "-noout", "-text");
  expect(shown).toContain(text);
  expect(shown).toContain("Subject: O = one, O = two, CN = server");
  expect(shown).toContain(
    "DNS:localhost, DNS:a.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, URI:spiffe://x/y",
  );
  expect(shown).toContain("TLS Web Server Authentication, TLS Web Client Authentication");
  expect(shown).toContain("CA:FALSE");
  expect(await openssl("x509", "-in", certificate, "-noout", "-pubkey")).toBe(
    await openssl("pkey", "-in", key, "-pubout"),
  );
  expect(publicKeyOf(made.key)).toBe(await openssl("pkey", "-in", key, "-pubout"));
});

test("openssl refuses a certificate of another authority with the same name", async () => {
  const other = await makeAuthority("an authority");
  const made = await certifiedKey(
    { subject: { commonName: "x" }, usages: ["clientAuth"], notAfter: daysFromNow(1) },
    other,
  );
  const [certificate] = await write("other", made);
  await expect(openssl("verify", "-CAfile", join(dir, "ca.crt"), certificate)).rejects.toThrow(
    /verification failed/,
  );
});

test("openssl refuses a client certificate as a server's", async () => {
  const made = await certifiedKey(
    { subject: { commonName: "x" }, usages: ["clientAuth"], notAfter: daysFromNow(1) },
    authority,
  );
  const [certificate] = await write("client", made);
  const verify = ["verify", "-CAfile", join(dir, "ca.crt"), "-purpose"];
  expect(await openssl(...verify, "sslclient", certificate)).toContain("OK");
  await expect(openssl(...verify, "sslserver", certificate)).rejects.toThrow(
    /unsuitable certificate purpose|unsupported certificate purpose/,
  );
});

test("a certificate never outlives its authority", async () => {
  const made = await certifiedKey(
    { subject: { commonName: "x" }, usages: ["clientAuth"], notAfter: daysFromNow(99) },
    authority,
  );
  const [certificate] = await write("long", made);
  const end = async (path: string) => openssl("x509", "-in", path, "-noout", "-enddate");
  expect(await end(certificate)).toBe(await end(join(dir, "ca.crt")));
});

async function makeAuthority(commonName: string): Promise<CertifiedKey> {
  return certifiedKey({
    subject: { commonName },
    usages: ["digitalSignature", "certificateSigning", "crlSigning"],
    authority: true,
    notAfter: daysFromNow(20),
  });
}

async function write(name: string, made: CertifiedKey): Promise<[certificate: string, key: string]> {
  const paths: [string, string] = [join(dir, `${name}.crt`), join(dir, `${name}.key`)];
  await writeFile(paths[0], made.certificate);
  await writeFile(paths[1], made.key, { mode: 0o600 });
  return paths;
}

async function openssl(...args: string[]): Promise<string> {
  return (await run("openssl", args)).stdout;
}
