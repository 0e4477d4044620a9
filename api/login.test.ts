import { publicKey } from "../test/harness/agent/keys";
import { resolveLogins, type DeclaredUser } from "./login";

const user = (spec: unknown, name = "one", creationTimestamp = "2026-01-01T00:00:00Z"): DeclaredUser => ({
  metadata: { name, creationTimestamp },
  spec,
});
const key = publicKey("ada");
const reasonOf = (spec: unknown): string | undefined =>
  resolveLogins([user(spec)]).get("one")?.refusal?.reason;

test("a valid User becomes a login", () => {
  const spec = { name: "ada", sudo: true, sshKeys: [{ key, notAfter: "2030-01-01T00:00:00Z" }] };
  expect(resolveLogins([user(spec)]).get("one")?.login).toEqual({
    name: "ada",
    fullName: "",
    sudo: true,
    keys: [{ line: key, notAfter: Date.UTC(2030, 0, 1) }],
  });
});

test.each<[string, unknown, string]>([
  ["no spec", undefined, "Invalid"],
  ["no name", {}, "InvalidName"],
  ["a name of another type", { name: ["ada"] }, "InvalidName"],
  ["root", { name: "root" }, "ReservedName"],
  ["daemon", { name: "daemon" }, "ReservedName"],
  ["a way out of the folder", { name: "../x" }, "InvalidName"],
  ["a path", { name: "a/b" }, "InvalidName"],
  ["a space", { name: "a b" }, "InvalidName"],
  ["a colon", { name: "a:b" }, "InvalidName"],
  ["a line end", { name: "ada\n" }, "InvalidName"],
  ["a second line", { name: "ada\nroot ALL=(ALL) ALL" }, "InvalidName"],
  ["a zero byte", { name: "ada\0" }, "InvalidName"],
  ["capitals", { name: "Ada" }, "InvalidName"],
  ["a Cyrillic look-alike", { name: "\u0430da" }, "InvalidName"],
  ["a wide look-alike", { name: "\uff41da" }, "InvalidName"],
  ["32 characters", { name: "a".repeat(32) }, "InvalidName"],
  ["a prototype's name", { name: "__proto__" }, "InvalidName"],
  ["a full name with a colon", { name: "ada", fullName: "A:0:0" }, "InvalidFullName"],
  ["a full name with a line end", { name: "ada", fullName: "A\nroot::0:0" }, "InvalidFullName"],
  ["a full name with a comma", { name: "ada", fullName: "A,fleetwright" }, "InvalidFullName"],
  ["sudo as a text", { name: "ada", sudo: "yes" }, "Invalid"],
  ["keys that are no list", { name: "ada", sshKeys: key }, "InvalidKey"],
  ["1,000 keys", { name: "ada", sshKeys: Array(1000).fill({ key }) }, "TooManyKeys"],
  ["a key that is no text", { name: "ada", sshKeys: [{ key: 7 }] }, "InvalidKey"],
  ["a key that is null", { name: "ada", sshKeys: [null] }, "InvalidKey"],
  ["a forced command", { name: "ada", sshKeys: [{ key: `command="id" ${key}` }] }, "InvalidKey"],
  ["permitopen", { name: "ada", sshKeys: [{ key: `permitopen="*:*" ${key}` }] }, "InvalidKey"],
  ["a second line in a key", { name: "ada", sshKeys: [{ key: `${key}\n${key}` }] }, "InvalidKey"],
  ["an escape in a comment", { name: "ada", sshKeys: [{ key: `${key}\u001b[2J` }] }, "InvalidKey"],
  [
    "a look-alike in a key",
    { name: "ada", sshKeys: [{ key: key.replace("ssh", "\u0455\u0455h") }] },
    "InvalidKey",
  ],
  ["half a key", { name: "ada", sshKeys: [{ key: key.slice(0, 40) }] }, "InvalidKey"],
  ["DSA", { name: "ada", sshKeys: [{ key: key.replace("ssh-ed25519", "ssh-dss") }] }, "InvalidKey"],
  ["a time that is none", { name: "ada", sshKeys: [{ key, notAfter: "soon" }] }, "InvalidKey"],
])("%s is refused", (_what, spec, reason) => {
  expect(reasonOf(spec)).toBe(reason);
});

test("a refused value is shown without control characters", () => {
  const { message = "" } = resolveLogins([user({ name: "\u001b[2J\u202eada" })]).get("one")?.refusal ?? {};
  expect(message).toContain("\\u202e");
  expect(message).toMatch(/^[ -~]+$/);
});

test("of two Users with the same login name the older one gets it, in any order", () => {
  const [old, young] = [
    user({ name: "ada" }, "old", "2026-01-01T00:00:00Z"),
    user({ name: "ada" }, "young", "2026-01-02T00:00:00Z"),
  ];
  for (const users of [
    [old, young],
    [young, old],
  ]) {
    const results = resolveLogins(users);
    expect(results.get("old")?.login?.name).toBe("ada");
    expect(results.get("young")?.refusal).toEqual({
      reason: "LoginTaken",
      message: `spec.name is "ada", which the older User old has already: choose another login name.`,
    });
  }
});

test("a User that is being deleted gets no account", () => {
  const going = user({ name: "ada" });
  going.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  expect(resolveLogins([going]).size).toBe(0);
});
