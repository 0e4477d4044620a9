// The words of Go's libraries: the official provider is written in Go, and passes on what they say.

/** What the kernel says, by its code. */
const KERNEL: Readonly<Record<string, string>> = {
  E2BIG: "argument list too long",
  EACCES: "permission denied",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by peer",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ENOENT: "no such file or directory",
  ENOEXEC: "exec format error",
  ENOTDIR: "not a directory",
  ETIMEDOUT: "connection timed out",
};

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** What the kernel says of an error, or else the error's own message. */
export function kernelWords(code: string | undefined, otherwise: string): string {
  return KERNEL[code ?? ""] ?? otherwise;
}

/** A text as `%q` writes it: what can be printed stays as it is. */
export function quotedAsInGo(text: string): string {
  const shown = text.replaceAll(/[\p{Cc}"\\]/gu, (char) => {
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    const code = char.codePointAt(0) ?? 0;
    return code < 0x80
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `"${shown}"`;
}

/** Why a TCP or Unix socket could not be dialled. */
export function dialWords(network: "tcp" | "unix", address: string, code: string | undefined): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `dial ${network}: lookup ${address.replace(/:\d+$/, "")}: no such host`;
  if (code === "timeout") return `dial ${network} ${address}: i/o timeout`;
  return `dial ${network} ${address}: connect: ${kernelWords(code, code ?? "unknown error")}`;
}
