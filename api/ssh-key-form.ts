// What an SSH public key is, without the schema: the agent looks at every key once more before it opens anything.

/** The fewest bits of an RSA modulus. */
export const RSA_BITS = 3072;
/** An RSA modulus of 3072 bits is written in 385 bytes, one of 3071 bits in 384: the length alone tells them apart. */
export const RSA_BYTES = RSA_BITS / 8 + 1;
/** The most characters of a key's line. */
export const KEY_MAX_LENGTH = 3072;

/** The algorithms that are allowed, as a key's line names them. */
export const KEY_ALGORITHMS: readonly string[] = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "ssh-rsa",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
];

/** Why a line is no key that may open an account, or undefined if it is one. The API server says the same. */
export function keyProblem(line: string): string | undefined {
  if (line.length > KEY_MAX_LENGTH)
    return `it has ${line.length} characters, and ${KEY_MAX_LENGTH} are allowed`;
  if (!/^[ -~]+$/.test(line)) return "it must be one line of printable ASCII characters";
  if (!KEY_ALGORITHMS.some((name) => line.startsWith(`${name} `)))
    return `it must begin with one of ${KEY_ALGORITHMS.join(", ")}, without options`;
  if (line.startsWith("ssh-rsa ") && !isStrongRsa(line))
    return `an RSA key must have ${RSA_BITS} bits or more and the exponent 65537`;
  return isWellFormed(line) ? undefined : "it is not whole, or not of the form that its algorithm has";
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

/** Whether an RSA key is long enough, as far as its beginning tells. */
export function isStrongRsa(line: string): boolean {
  const blob = Buffer.from(line.split(" ")[1] ?? "", "base64");
  // Judged by what stands at the beginning, as CEL does: whether the rest is there is the next rule's question.
  const begin = Buffer.from("AAAAB3NzaC1yc2EAAAADAQAB", "base64");
  return (
    blob.length > begin.length + 4 &&
    blob.subarray(0, begin.length).equals(begin) &&
    blob.readUInt32BE(begin.length) >= RSA_BYTES
  );
}

/** Whether a key is whole and of the form that its algorithm has. */
export function isWellFormed(line: string): boolean {
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
