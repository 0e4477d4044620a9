// Test cases: valid and malformed Users.
import { bad, type Cases } from "./case";
import {
  dsa1024,
  ecdsa256,
  ed25519 as key,
  keyOf,
  rsa1024,
  rsa2048,
  rsa3070,
  rsa3072,
  rsaKey,
} from "./ssh-keys";

const blob = key.split(" ")[1] ?? "";

/** As many different Ed25519 keys as wanted. */
const manyKeys = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: keyOf("ssh-ed25519", [...Array<number>(31).fill(7), index]),
  }));

const name = (it: string, value: unknown, says: string) => bad(it, "spec.name", value, says);
const sshKey = (it: string, value: unknown, says: string) => bad(it, "spec.sshKeys[0].key", value, says);

/** What both validators must say of Users. */
export const userCases: Cases = {
  base: {
    name: "jane",
    sshKeys: [{ key, name: "laptop", notAfter: "2030-01-01T00:00:00Z" }],
    teams: ["platform"],
  },
  valid: [
    ["a name alone", { name: "a" }],
    ["a name of 31 characters", { name: `a${"-".repeat(29)}9` }],
    ["a comment after the key", { name: "jane", sshKeys: [{ key: `${key} jane@laptop (work), #2` }] }],
    ["an empty comment, as ssh-keygen writes it", { name: "jane", sshKeys: [{ key: `${key} ` }] }],
    ["keys of three algorithms", { name: "jane", sshKeys: [{ key }, { key: ecdsa256 }, { key: rsa3072 }] }],
    ["a time with an offset", { name: "jane", sshKeys: [{ key, notAfter: "2030-01-01T12:00:00.5+02:00" }] }],
    [
      "the 29th of February in a leap year",
      { name: "jane", sshKeys: [{ key, notAfter: "2096-02-29T23:59:59Z" }] },
    ],
    ["32 keys", { name: "jane", sshKeys: manyKeys(32) }],
    ["a full name in any script", { name: "jane", fullName: "Zoë Ångström-Δ" }],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("a spec that is text", "spec", "jane", "must be of type object"),
    bad("an unknown field", "spec.password", "secret", "unknown field"),
    name("no name", undefined, "Required value"),
    name("an empty name", "", "at least 1 chars"),
    name("a number as name", 7, "must be of type string"),
    name("a capital letter", "Jane", "must begin with a letter"),
    name("a digit first", "1jane", "must begin with a letter"),
    name("a path", "../x", "must begin with a letter"),
    name("a space", "a b", "must begin with a letter"),
    name("an underscore", "jane_doe", "must begin with a letter"),
    name("a Cyrillic look-alike", "jаne", "must begin with a letter"),
    name("a line break", "jane\n", "must begin with a letter"),
    name("a name that is too long", "a".repeat(32), "Too long"),
    name("root", "root", "is reserved"),
    name("daemon", "daemon", "is reserved"),
    name("our own account", "fleetwright", "is reserved"),
    sshKey("an entry without key", undefined, "Required value"),
    sshKey("a forced command", `command="/bin/sh" ${key}`, "options such as command= are not allowed"),
    sshKey("a permitted port", `permitopen="10.0.0.1:22" ${key}`, "options such as command= are not allowed"),
    sshKey("two lines", `${key}\n${key}`, "one line"),
    sshKey("a control character", `${key} jane\u0007`, "printable ASCII"),
    sshKey("a look-alike in the comment", `${key} jаne`, "printable ASCII"),
    sshKey("a DSA key", dsa1024, "DSA is not secure"),
    sshKey("an RSA key of 1024 bits", rsa1024, "3072 bits or more"),
    sshKey("an RSA key of 2048 bits", rsa2048, "3072 bits or more"),
    sshKey("an RSA key of 3070 bits", rsa3070, "3072 bits or more"),
    sshKey("an RSA key of 3071 bits", rsaKey(3071), "3072 bits or more"),
    sshKey("an RSA key with another exponent", rsaKey(3072, [35]), "exponent 65537"),
    sshKey("an RSA key without its end", rsa3072.slice(0, -8), "must be whole"),
    sshKey("a key without its end", key.slice(0, -1), "must be whole"),
    sshKey("a key with one character too many", `${key}A`, "must be whole"),
    sshKey("a character that is not base64", key.replace("AAAAI", "AAAA!"), "must be whole"),
    sshKey("an algorithm that is not the key's", `ecdsa-sha2-nistecdsa256 ${blob}`, "must be whole"),
    sshKey("base64 alone", blob, "must begin with its algorithm"),
    sshKey("two spaces", key.replace(" ", "  "), "must be whole"),
    sshKey("a private key", "-----BEGIN OPENSSH PRIVATE KEY-----", "a private key never belongs here"),
    bad("keys as text", "spec.sshKeys", key, "must be of type array"),
    bad("33 keys", "spec.sshKeys", manyKeys(33), "Too many"),
    bad("the same key twice", "spec.sshKeys", [{ key }, { key }], "Duplicate value", "spec.sshKeys[1]"),
    bad("the same key with another comment", "spec.sshKeys", [{ key }, { key: `${key} b` }], "given twice"),
    bad("key options as a field", "spec.sshKeys[0].options", "no-pty", "unknown field"),
    bad("a key's name with a line break", "spec.sshKeys[0].name", "a\nb", "the key's name must consist of"),
    bad("a time that is none", "spec.sshKeys[0].notAfter", "tomorrow", "RFC 3339"),
    bad("a day that is none", "spec.sshKeys[0].notAfter", "2030-02-30T00:00:00Z", "RFC 3339"),
    bad("a time without seconds", "spec.sshKeys[0].notAfter", "2030-02-20T00:00Z", "RFC 3339"),
    bad("a date alone", "spec.sshKeys[0].notAfter", "2030-02-20", "RFC 3339"),
    bad("a list as time", "spec.sshKeys[0].notAfter", [], "must be of type string"),
    bad("a time as number", "spec.sshKeys[0].notAfter", 1893456000, "must be of type string"),
    bad(
      "the 29th of February in a common year",
      "spec.sshKeys[0].notAfter",
      "2100-02-29T00:00:00Z",
      "RFC 3339",
    ),
    bad("sudo as text", "spec.sudo", "yes", "must be of type boolean"),
    bad("a team twice", "spec.teams", ["a", "a"], "Duplicate value", "spec.teams[1]"),
    bad("a team with a capital letter", "spec.teams", ["Platform"], "must be a DNS label", "spec.teams[0]"),
    bad("an empty team", "spec.teams", [""], "at least 1 chars", "spec.teams[0]"),
    bad("a colon in the full name", "spec.fullName", "Jane:x", "must not hold control characters"),
  ],
};
