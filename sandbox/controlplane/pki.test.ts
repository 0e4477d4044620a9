import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certifiedKey, daysFromNow } from "./certificate";
import { makePrivateDirectories } from "../../lib/files";
import { certificateFiles, directoriesOf, layoutOf, type Layout } from "./layout";
import { ensurePki, renewalReason, type Pki } from "./pki";

let layout: Layout;
let first: Pki;

beforeAll(async () => {
  layout = layoutOf(await mkdtemp(join(tmpdir(), "fleetwright-pki-test-")));
  await makePrivateDirectories(directoriesOf(layout));
  first = await ensurePki(layout);
});

afterAll(() => rm(layout.dir, { recursive: true, force: true }));

test("no one else can read keys or enter the directory", async () => {
  const names = await readdir(layout.pki);
  expect(names).toContain("ca.key");
  for (const name of names)
    expect([name, (await stat(join(layout.pki, name))).mode & 0o777]).toEqual([name, 0o600]);
  expect((await stat(layout.pki)).mode & 0o777).toBe(0o700);
});

test("nothing changes at the next start", async () => {
  expect(await ensurePki(layout)).toEqual(first);
});

test("a missing certificate is made anew under the same authority", async () => {
  await rm(certificateFiles(layout, "scheduler").certificate);
  const again = await ensurePki(layout);
  expect(again.authorities).toEqual(first.authorities);
  expect(again.leaves.scheduler).not.toEqual(first.leaves.scheduler);
  expect(again.leaves.admin).toEqual(first.leaves.admin);
});

test("the key of service accounts is kept, so that tokens stay valid", async () => {
  const key = await readFile(join(layout.pki, "service-account.key"), "utf8");
  await ensurePki(layout);
  expect(await readFile(join(layout.pki, "service-account.key"), "utf8")).toBe(key);
});

test("an expired authority is not replaced behind anyone's back", async () => {
  const other = layoutOf(join(layout.dir, "expired"));
  await makePrivateDirectories(directoriesOf(other));
  const expired = await certifiedKey({
    subject: { commonName: "old" },
    usages: ["certificateSigning"],
    authority: true,
    notBefore: daysFromNow(-20),
    notAfter: daysFromNow(-10),
  });
  await writeFile(certificateFiles(other, "ca").certificate, expired.certificate);
  await writeFile(certificateFiles(other, "ca").key, expired.key);
  await expect(ensurePki(other)).rejects.toThrow(/ca\.crt expired on .*Remove .*pki/s);
  // The refusal comes after everything that was begun: nothing is written behind it.
  expect(await readdir(other.pki)).toEqual(expect.arrayContaining(["etcd-ca.key", "service-account.key"]));
});

describe("a certificate is renewed", () => {
  const leaf = { subject: { commonName: "etcd" }, server: { dns: ["localhost"], ips: ["127.0.0.1"] } };
  const reason = (changes: Partial<Parameters<typeof renewalReason>[1]> = {}, now = new Date()) =>
    renewalReason(first.leaves["etcd-server"], { ...leaf, ...changes }, first.authorities["etcd-ca"], now);

  test("not while it is good", () => expect(reason()).toBeUndefined());
  test("not 31 days before its end", () => expect(reason({}, daysFromNow(365 - 31))).toBeUndefined());
  test("29 days before its end", () => expect(reason({}, daysFromNow(365 - 29))).toMatch(/^expires /));
  test("when its subject changes", () =>
    expect(reason({ subject: { commonName: "other" } })).toMatch(/another subject: CN=etcd/));
  test("when a name is added", () =>
    expect(reason({ server: { dns: ["localhost", "new"] } })).toMatch(/lacks the names new/));
  test("when an address is added", () =>
    expect(reason({ server: { ips: ["10.0.0.1"] } })).toMatch(/lacks the names 10.0.0.1/));
  test("when the authority is another one", () =>
    expect(renewalReason(first.leaves["etcd-server"], leaf, first.authorities.ca, new Date())).toMatch(
      /another authority/,
    ));
  test("when the key is another one's", () => {
    const mixed = { certificate: first.leaves["etcd-server"].certificate, key: first.leaves.admin.key };
    expect(renewalReason(mixed, leaf, first.authorities["etcd-ca"], new Date())).toMatch(
      /does not belong to its key/,
    );
  });
});
