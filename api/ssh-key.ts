import type { z } from "zod";
import { celList, celRaw, matching, withRule } from "./schema/rule";
import { text } from "./schema/text";
import {
  isStrongRsa,
  isWellFormed,
  KEY_ALGORITHMS,
  KEY_MAX_LENGTH,
  RSA_BITS,
  RSA_BYTES,
} from "./ssh-key-form";

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

/** An SSH public key in one line, as `ssh-keygen` writes it, with or without a comment. */
export function sshPublicKey(): z.ZodString {
  const rules = [
    matching(
      "[ -~]+",
      "the key must be one line of printable ASCII characters: paste the line of the .pub file without line breaks",
    ),
    {
      cel: `${celList(KEY_ALGORITHMS.map((name) => `${name} `))}.exists(p, self.startsWith(p))`,
      holds: (line: string) => KEY_ALGORITHMS.some((name) => line.startsWith(`${name} `)),
      message:
        "the key must begin with its algorithm, one of " +
        `${KEY_ALGORITHMS.join(", ")}: options such as command= are not allowed, DSA is not secure, a private key never belongs here`,
    },
    {
      cel: `!self.startsWith("ssh-rsa ") || (self.matches(${celRaw(`^ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAA${any}{3}`)}) && ${rsaLength} >= ${RSA_BYTES})`,
      holds: (line: string) => !line.startsWith("ssh-rsa ") || isStrongRsa(line),
      message: `an RSA key must have ${RSA_BITS} bits or more and the exponent 65537: make a key with ssh-keygen -t ed25519`,
    },
    {
      cel: formCel(),
      holds: isWellFormed,
      message:
        "the key must be whole and of the form its algorithm has: paste the line of the .pub file as ssh-keygen wrote it",
    },
  ];
  return rules.reduce((schema, rule) => withRule(schema, rule), text(KEY_MAX_LENGTH));
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
