import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, read, written } from "../testing/provider-harness";
import type { Values } from "../shell/wire";
import { tool } from "./testing/openssl";
import { tlsProvider } from "./provider";

const provider = tlsProvider("0.0.0");
const KEY = "tls:index/privateKey:PrivateKey";
const SELF = "tls:index/selfSignedCert:SelfSignedCert";
const REQUEST = "tls:index/certRequest:CertRequest";
const LOCAL = "tls:index/locallySignedCert:LocallySignedCert";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fleetwright-tls-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

async function create(token: string, inputs: Values): Promise<{ id: string; state: Values }> {
  return call(provider, token).create(inputs);
}

describe("PrivateKey", () => {
  const keys = [
    [{ algorithm: "RSA" }, "RSA PRIVATE KEY", "2048 bit", "RSA"],
    [{ algorithm: "RSA", rsaBits: 3072 }, "RSA PRIVATE KEY", "3072 bit", "RSA"],
    [{ algorithm: "ECDSA", ecdsaCurve: "P256" }, "EC PRIVATE KEY", "256 bit", "ECDSA"],
    [{ algorithm: "ECDSA", ecdsaCurve: "P384" }, "EC PRIVATE KEY", "384 bit", "ECDSA"],
    [{ algorithm: "ECDSA", ecdsaCurve: "P521" }, "EC PRIVATE KEY", "521 bit", "ECDSA"],
    [{ algorithm: "ED25519" }, "PRIVATE KEY", "ED25519", "ED25519"],
  ] as const;

  test.each(keys)(
    "%j is one key in every form, as openssl and ssh-keygen see it",
    async (args, header, size, sshName) => {
      const { id, state } = await create(KEY, args);
      const pem = read(state, "privateKeyPem");
      expect(pem).toMatch(new RegExp(`^-----BEGIN ${header}-----\\n`));
      expect(await tool("openssl", ["pkey", "-noout", "-text"], pem)).toContain(size);
      for (const form of ["privateKeyPem", "privateKeyPemPkcs8"]) {
        expect(await tool("openssl", ["pkey", "-pubout"], read(state, form))).toBe(
          read(state, "publicKeyPem"),
        );
      }
      const openssh = await file(`key-${id}`, read(state, "privateKeyOpenssh"));
      expect((await tool("ssh-keygen", ["-y", "-P", "", "-f", openssh])).trim()).toBe(
        read(state, "publicKeyOpenssh").trim(),
      );
      const line = await file(`key-${id}.pub`, read(state, "publicKeyOpenssh"));
      const sha256 = (await tool("ssh-keygen", ["-l", "-f", line])).split(" ");
      expect(sha256[1]).toBe(read(state, "publicKeyFingerprintSha256"));
      expect(sha256.at(-1)?.trim()).toBe(`(${sshName})`);
      const md5 = await tool("ssh-keygen", ["-l", "-E", "md5", "-f", line]);
      expect(md5).toContain(`MD5:${read(state, "publicKeyFingerprintMd5")}`);
      expect(id).toMatch(/^[0-9a-f]{40}$/);
    },
  );

  test("a P224 key, the default of ECDSA, has no SSH form", async () => {
    const { state } = await create(KEY, { algorithm: "ECDSA" });
    expect(await tool("openssl", ["pkey", "-noout", "-text"], read(state, "privateKeyPem"))).toContain(
      "secp224r1",
    );
    expect(state).toMatchObject({
      privateKeyOpenssh: "",
      publicKeyOpenssh: "",
      publicKeyFingerprintSha256: "",
    });
  });

  test("an unknown algorithm, curve or property is named", () => {
    const check = (inputs: Values) => call(provider, KEY).failures(inputs).join("\n");
    expect(check({ algorithm: "DSA" })).toContain(
      'algorithm must be one of RSA, ECDSA, ED25519, but is "DSA"',
    );
    expect(check({ algorithm: "ECDSA", ecdsaCurve: "P1" })).toContain("ecdsaCurve must be one of P224");
    expect(check({ algorithm: "RSA", bits: 1 })).toContain('there is no property "bits" here');
    expect(check({})).toContain("algorithm is required");
  });

  test("any change makes a new key", () => {
    expect(call(provider, KEY).diff({ algorithm: "RSA" }, { algorithm: "RSA", rsaBits: 4096 })).toEqual({
      rsaBits: "replace",
    });
    expect(call(provider, KEY).diff({ algorithm: "RSA" }, { algorithm: "RSA", rsaBits: 2048 })).toEqual({});
  });
});

const subject = {
  commonName: 'a "quoted" name, Ünïcode',
  organization: "Fleetwright",
  organizationalUnit: "Tests",
  country: "DE",
  province: "Hessen",
  locality: "Frankfurt",
  postalCode: "60306",
  streetAddresses: ["Street 1", "Backyard"],
  serialNumber: "42",
  emailAddress: "a@example.org",
};

describe("certificates", () => {
  test.each([
    { algorithm: "RSA" },
    { algorithm: "ECDSA", ecdsaCurve: "P256" },
    { algorithm: "ECDSA", ecdsaCurve: "P384" },
    { algorithm: "ECDSA", ecdsaCurve: "P521" },
    { algorithm: "ED25519" },
  ])("an authority with a key of %j signs a request that openssl verifies", async (algorithm) => {
    const caKey = read((await create(KEY, algorithm)).state, "privateKeyPem");
    const ca = await create(SELF, {
      privateKeyPem: caKey,
      subject: { commonName: "authority" },
      allowedUses: ["cert_signing", "crl_signing"],
      isCaCertificate: true,
      maxPathLength: 0,
      validityPeriodHours: 48,
    });
    const key = read((await create(KEY, algorithm)).state, "privateKeyPem");
    const request = await create(REQUEST, {
      privateKeyPem: key,
      subject,
      dnsNames: ["server.example.org", "*.example.org"],
      ipAddresses: ["10.0.0.1", "fd00::1"],
      uris: ["spiffe://example.org/server"],
    });
    expect(
      await tool("openssl", ["req", "-verify", "-noout"], read(request.state, "certRequestPem")),
    ).toContain("OK");
    const leaf = await create(LOCAL, {
      caCertPem: read(ca.state, "certPem"),
      caPrivateKeyPem: caKey,
      certRequestPem: read(request.state, "certRequestPem"),
      allowedUses: ["digital_signature", "key_encipherment", "server_auth", "client_auth", "any_extended"],
      validityPeriodHours: 24,
      setSubjectKeyId: true,
    });
    const caFile = await file(`ca-${ca.id}`, read(ca.state, "certPem"));
    const leafFile = await file(`leaf-${leaf.id}`, read(leaf.state, "certPem"));
    expect(await tool("openssl", ["verify", "-x509_strict", "-CAfile", caFile, leafFile])).toContain("OK");
    expect(
      await tool("openssl", [
        "verify",
        "-CAfile",
        caFile,
        "-verify_hostname",
        "server.example.org",
        "-verify_ip",
        "10.0.0.1",
        "-purpose",
        "sslserver",
        leafFile,
      ]),
    ).toContain("OK");
    const text = await tool("openssl", [
      "x509",
      "-noout",
      "-text",
      "-nameopt",
      "utf8,sep_multiline,sname",
      "-in",
      leafFile,
    ]);
    for (const part of [
      "O=Fleetwright",
      "OU=Tests",
      "C=DE",
      "ST=Hessen",
      "L=Frankfurt",
      "postalCode=60306",
      "street=Street 1",
      "street=Backyard",
      "serialNumber=42",
      "emailAddress=a@example.org",
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('a "quoted" name, Ünïcode');
    expect(text).toContain(
      "DNS:server.example.org, DNS:*.example.org, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://example.org/server",
    );
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment\n/);
    expect(text).toMatch(
      /Extended Key Usage:\s+TLS Web Server Authentication, TLS Web Client Authentication, Any Extended Key Usage/,
    );
    expect(text).toMatch(/Subject Key Identifier:/);
    expect(text).toMatch(/Authority Key Identifier:/);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(await tool("openssl", ["x509", "-noout", "-text", "-in", caFile])).toMatch(/CA:TRUE, pathlen:0/);
    const serial = (await tool("openssl", ["x509", "-noout", "-serial", "-in", leafFile]))
      .trim()
      .split("=")[1];
    expect(BigInt(`0x${serial ?? ""}`).toString()).toBe(leaf.id);
    const end = (
      await tool("openssl", ["x509", "-noout", "-enddate", "-dateopt", "iso_8601", "-in", leafFile])
    ).trim();
    expect(end).toBe(`notAfter=${read(leaf.state, "validityEndTime").replace("T", " ")}`);
    expect(leaf.state.caKeyAlgorithm).toBe(algorithm.algorithm);
  });

  test("a certificate without a subject has critical alternative names", async () => {
    const key = read((await create(KEY, { algorithm: "ED25519" })).state, "privateKeyPem");
    const { state } = await create(SELF, {
      privateKeyPem: key,
      dnsNames: ["localhost"],
      allowedUses: [],
      validityPeriodHours: 1,
      setSubjectKeyId: true,
      setAuthorityKeyId: true,
    });
    const text = await tool("openssl", ["x509", "-noout", "-text"], read(state, "certPem"));
    expect(text).toMatch(/Subject Alternative Name: critical/);
    const ids = text.match(/([0-9A-F]{2}:){19}[0-9A-F]{2}/g);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test("a key that is not the authority's is refused", async () => {
    const [one, other] = await Promise.all([
      create(KEY, { algorithm: "ED25519" }),
      create(KEY, { algorithm: "ED25519" }),
    ]);
    const ca = await create(SELF, {
      privateKeyPem: read(one.state, "privateKeyPem"),
      subject,
      allowedUses: ["cert_signing"],
      isCaCertificate: true,
      validityPeriodHours: 1,
    });
    const request = await create(REQUEST, { privateKeyPem: read(other.state, "privateKeyPem") });
    await expect(
      create(LOCAL, {
        caCertPem: read(ca.state, "certPem"),
        caPrivateKeyPem: read(other.state, "privateKeyPem"),
        certRequestPem: read(request.state, "certRequestPem"),
        allowedUses: [],
        validityPeriodHours: 1,
      }),
    ).rejects.toThrow("caPrivateKeyPem is not the key of caCertPem");
    await expect(
      create(LOCAL, {
        caCertPem: "nonsense",
        caPrivateKeyPem: read(one.state, "privateKeyPem"),
        certRequestPem: read(request.state, "certRequestPem"),
        allowedUses: [],
        validityPeriodHours: 1,
      }),
    ).rejects.toThrow('caCertPem must be PEM of the type "CERTIFICATE", but is no PEM');
  });

  test("every input but earlyRenewalHours replaces", async () => {
    const key = read((await create(KEY, { algorithm: "ED25519" })).state, "privateKeyPem");
    const inputs = { privateKeyPem: key, subject, allowedUses: ["server_auth"], validityPeriodHours: 10 };
    const { state } = await create(SELF, inputs);
    const diff = (change: Values) => call(provider, SELF).diff(inputs, { ...inputs, ...change }, state);
    expect(diff({})).toEqual({});
    expect(diff({ earlyRenewalHours: 5 })).toEqual({ earlyRenewalHours: "update" });
    expect(diff({ dnsNames: ["a"] })).toEqual({ dnsNames: "replace" });
    expect(diff({ subject: { ...subject, country: "FR" } })).toEqual({ subject: "replace" });
    expect(diff({ privateKeyPemWo: "x" })).toEqual({});
    expect(diff({ earlyRenewalHours: 10 })).toEqual({
      earlyRenewalHours: "update",
      readyForRenewal: "replace",
    });
  });

  test("a refresh in the time of early renewal says so", async () => {
    const key = read((await create(KEY, { algorithm: "ED25519" })).state, "privateKeyPem");
    const { id, state } = await create(SELF, {
      privateKeyPem: key,
      allowedUses: [],
      validityPeriodHours: 2,
      earlyRenewalHours: 2,
    });
    expect(state.readyForRenewal).toBe(false);
    expect(await call(provider, SELF).read(id, state)).toMatchObject({ readyForRenewal: true });
    expect(await call(provider, SELF).read(id, { ...state, earlyRenewalHours: 1 })).toMatchObject({
      readyForRenewal: false,
    });
  });

  test("wrong names and uses are refused with their path", () => {
    const problems = call(provider, SELF).failures({
      privateKeyPem: "x",
      allowedUses: ["server_auth", "fly"],
      ipAddresses: ["10.0.0.300"],
      uris: ["nowhere"],
      validityPeriodHours: 1.5,
    });
    expect(problems.join("\n")).toContain("allowedUses[1] must be one of any_extended");
    expect(problems.join("\n")).toContain(
      "validityPeriodHours must be a whole number of at least 0, but is 1.5",
    );
    const names = call(provider, SELF).failures({
      privateKeyPem: "x",
      allowedUses: [],
      ipAddresses: ["10.0.0.300"],
      uris: ["nowhere"],
      validityPeriodHours: 1,
    });
    expect(names.join("\n")).toContain('ipAddresses[0] must be an IPv4 or IPv6 address, but is "10.0.0.300"');
    expect(names.join("\n")).toContain("uris[0] must be a URI with a scheme");
  });
});

describe("getPublicKey", () => {
  test.each(["privateKeyPem", "privateKeyOpenssh"])("reads the public half out of %s", async (form) => {
    for (const args of [
      { algorithm: "RSA" },
      { algorithm: "ECDSA", ecdsaCurve: "P384" },
      { algorithm: "ED25519" },
    ]) {
      const { id, state } = await create(KEY, args);
      const result = await written(provider, "tls:index/getPublicKey:getPublicKey", { [form]: state[form] });
      expect(result).toMatchObject({
        id,
        algorithm: args.algorithm,
        publicKeyPem: state.publicKeyPem,
        publicKeyOpenssh: state.publicKeyOpenssh,
        publicKeyFingerprintSha256: state.publicKeyFingerprintSha256,
      });
    }
  });
});
