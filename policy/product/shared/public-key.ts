/** The minimum length of an RSA key. */
export const MIN_RSA_BITS = 3072;

/** What is wrong with the strength of a public key, as one line of a .pub file; undefined where nothing is. */
export function weakness(line: string): string | undefined {
  const [algorithm = "", blob = ""] = line.trim().split(/\s+/);
  if (algorithm === "ssh-dss") return "a DSA key";
  if (algorithm !== "ssh-rsa")
    return /^(ssh-ed25519|ecdsa-sha2-|sk-)/.test(algorithm) ? undefined : "a key of an unknown kind";
  const bits = rsaBits(Buffer.from(blob, "base64"));
  return bits >= MIN_RSA_BITS ? undefined : `an RSA key of ${bits} bits`;
}

/** What makes a key the key it is, without its comment. */
export function bodyOf(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(" ");
}

/** The length of the modulus, which is the third of the fields, each with its length before it. */
function rsaBits(key: Buffer): number {
  let at = 0;
  let field: Buffer = Buffer.alloc(0);
  for (let index = 0; index < 3; index++) {
    if (at + 4 > key.length) return 0;
    const length = key.readUInt32BE(at);
    field = key.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  const digits = field.toString("hex").replace(/^0+/, "");
  return digits === "" ? 0 : BigInt(`0x${digits}`).toString(2).length;
}
