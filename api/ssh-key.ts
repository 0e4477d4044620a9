import type { z } from "zod";
import { celList, celRaw, matching, withRule } from "./schema/rule";
import { text } from "./schema/text";

/** The fewest bits of an RSA modulus. */
export const RSA_BITS = 3072;
// An RSA modulus of 3072 bits is written in 385 bytes, one of 3071 bits in 384: the length alone tells them apart.
const RSA_BYTES = RSA_BITS / 8 + 1;
const MAX_LENGTH = 3072;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const any = "[A-Za-z0-9+/]";
/** Base64 characters whose last two and last four bits are zero, as they are before padding. */
const [twoZero, fourZero] = ["[AEIMQUYcgkosw048]", "[AQgw]"];
const base64 = `(?:${any}{4})+(?:${any}${fourZero}==|${any}{2}${twoZero}=)?`;

// CEL cannot decode base64. What it can do: the beginning of a key is the same text in every key of an algorithm, the
// length of the text gives the number of bytes, and single characters give the lengths that are written inside.
const fixed = {
  "ssh-ed25519": `AAAAC3NzaC1lZDI1NTE5AAAAI[A-P]${any}{42}`,
  "ecdsa-sha2-nistp256": `AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBB[A-P]${any}{84}${twoZero}=`,
  "ecdsa-sha2-nistp384": `AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhB[A-P]${any}{127}${fourZero}==`,
  "ecdsa-sha2-nistp521": `AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFB[A-P]${any}{175}${fourZero}==`,
};
const mpintStart = `(?:${fourZero}[C-Za-z0-9+/]|[B-HR-Xh-nx-z0-3]${any})`;
const open = {
  "ssh-rsa": `AAAAB3NzaC1yc2EAAAADAQABAAA${any}{2}${mpintStart}`,
  "sk-ssh-ed25519@openssh.com": `AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAI[A-P]${any}{42}AAAA${any}{2}`,
  "sk-ecdsa-sha2-nistp256@openssh.com": `AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAABBB[A-P]${any}{84}${twoZero}AAA[A-D]${any}`,
};
const algorithms = [...Object.keys(fixed), ...Object.keys(open)];

/** An SSH public key in one line, as `ssh-keygen` writes it, with or without a comment. */
export function sshPublicKey(): z.ZodString {
  const rules = [
    matching(
      "[ -~]+",
      "the key must be one line of printable ASCII characters: paste the line of the .pub file without line breaks",
    ),
    {
      cel: `${celList(algorithms.map((name) => `${name} `))}.exists(p, self.startsWith(p))`,
      holds: (line: string) => algorithms.some((name) => line.startsWith(`${name} `)),
      message:
        "the key must begin with its algorithm, one of " +
        `${algorithms.join(", ")}: options such as command= are not allowed, DSA is not secure, a private key never belongs here`,
    },
    {
      cel: `!self.startsWith("ssh-rsa ") || (self.matches(${celRaw(`^ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAA${any}{3}`)}) && ${rsaLength} >= ${RSA_BYTES})`,
      holds: (line: string) =>
        !line.startsWith("ssh-rsa ") || isStrongRsa(Buffer.from(line.split(" ")[1] ?? "", "base64")),
      message: `an RSA key must have ${RSA_BITS} bits or more and the exponent 65537: make a key with ssh-keygen -t ed25519`,
    },
    {
      cel: formCel(),
      holds: isWellFormed,
      message:
        "the key must be whole and of the form its algorithm has: paste the line of the .pub file as ssh-keygen wrote it",
    },
  ];
  return rules.reduce((schema, rule) => withRule(schema, rule), text(MAX_LENGTH));
}

function digit(position: number): string {
  return `"${alphabet}".indexOf(self.charAt(${position}))`;
}

const rsaStart = "ssh-rsa ".length;
const rsaLength = `${digit(rsaStart + 27)} * 256 + ${digit(rsaStart + 28)} * 4 + ${digit(rsaStart + 29)} / 16`;

// The number of bytes that the second word encodes.
const decoded = `size(self.split(" ")[1]) / 4 * 3 - (self.split(" ")[1].endsWith("==") ? 2 : (self.split(" ")[1].endsWith("=") ? 1 : 0))`;

function formCel(): string {
  const [skEd, skEc] = ["sk-ssh-ed25519@openssh.com ".length, "sk-ecdsa-sha2-nistp256@openssh.com ".length];
  const start = (name: keyof typeof open): string => `self.matches(${celRaw(`^${name} ${open[name]}`)})`;
  return [
    `self.matches(${celRaw(
      `^(?:${Object.entries(fixed)
        .map(([name, blob]) => `${name} ${blob}`)
        .join("|")})(?: .*)?$`,
    )})`,
    `(self.matches(${celRaw(`^[^ ]+ ${base64}(?: .*)?$`)}) && (${[
      `(${start("ssh-rsa")} && ${decoded} == 22 + ${rsaLength})`,
      `(${start("sk-ssh-ed25519@openssh.com")} && ${decoded} == 70 + ${digit(skEd + 92)} * 4 + ${digit(skEd + 93)} / 16)`,
      `(${start("sk-ecdsa-sha2-nistp256@openssh.com")} && ${decoded} == 123 + ${digit(skEc + 162)} * 64 + ${digit(skEc + 163)})`,
    ].join(" || ")}))`,
  ].join(" || ");
}

/** The bytes of the key's second word; empty if that is not base64 as an encoder writes it. */
function blobOf(line: string): Buffer {
  const word = line.split(" ")[1] ?? "";
  const blob = Buffer.from(word, "base64");
  return blob.toString("base64") === word ? blob : Buffer.alloc(0);
}

/** The fields of a key, each preceded by its length in four bytes; undefined if the lengths do not add up. */
function fieldsOf(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  let position = 0;
  while (position < blob.length) {
    if (position + 4 > blob.length) return undefined;
    const end = position + 4 + blob.readUInt32BE(position);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(position + 4, end));
    position = end;
  }
  return fields;
}

function isStrongRsa(blob: Buffer): boolean {
  // Judged by what stands at the beginning, as CEL does: whether the rest is there is the next rule's question.
  const begin = Buffer.from("AAAAB3NzaC1yc2EAAAADAQAB", "base64");
  return (
    blob.length > begin.length + 4 &&
    blob.subarray(0, begin.length).equals(begin) &&
    blob.readUInt32BE(begin.length) >= RSA_BYTES
  );
}

function isWellFormed(line: string): boolean {
  const [algorithm = ""] = line.split(" ", 1);
  const [name, ...fields] = fieldsOf(blobOf(line)) ?? [];
  if (name?.toString("latin1") !== algorithm) return false;
  const [first, second, third] = fields;
  switch (algorithm) {
    case "ssh-ed25519":
      return fields.length === 1 && first?.length === 32;
    case "ecdsa-sha2-nistp256":
    case "ecdsa-sha2-nistp384":
    case "ecdsa-sha2-nistp521": {
      const curve = algorithm.slice("ecdsa-sha2-".length);
      return fields.length === 2 && first?.toString("latin1") === curve && isPoint(second, curve);
    }
    case "sk-ssh-ed25519@openssh.com":
      return fields.length === 2 && first?.length === 32 && isApplication(second);
    case "sk-ecdsa-sha2-nistp256@openssh.com":
      return (
        fields.length === 3 &&
        first?.toString("latin1") === "nistp256" &&
        isPoint(second, "nistp256") &&
        isApplication(third)
      );
    case "ssh-rsa":
      return fields.length === 2 && first?.toString("hex") === "010001" && isPositive(second);
    default:
      return false;
  }
}

const pointSize: Readonly<Record<string, number>> = { nistp256: 65, nistp384: 97, nistp521: 133 };

function isPoint(field: Buffer | undefined, curve: string): boolean {
  return field?.length === pointSize[curve] && field?.[0] === 4;
}

function isApplication(field: Buffer | undefined): boolean {
  return field !== undefined && field.length < 256;
}

/** Whether a number is written as SSH writes positive ones: no sign bit, and no zero byte that is not needed. */
function isPositive(field: Buffer | undefined): boolean {
  const [first = 0, second = 0] = field ?? [];
  return first === 0 ? second >= 0x80 : first < 0x80;
}
