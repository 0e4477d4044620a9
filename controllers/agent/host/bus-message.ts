// The wire format of D-Bus, as far as systemd's manager needs it: little endian, every value at its natural boundary.

/** A value with its type: a text, a list of texts, a truth, or a number of 64 bits. */
export type BusValue =
  | { type: "s"; value: string }
  | { type: "b"; value: boolean }
  | { type: "t"; value: bigint }
  | { type: "commands"; value: readonly (readonly string[])[] };

/** Puts values one after another. */
export class BusWriter {
  #bytes = Buffer.alloc(256);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  align(boundary: number): this {
    while (this.#length % boundary !== 0) this.byte(0);
    return this;
  }

  byte(value: number): this {
    this.#room(1);
    this.#bytes.writeUInt8(value, this.#length++);
    return this;
  }

  uint32(value: number): this {
    this.align(4).#room(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
    return this;
  }

  uint64(value: bigint): this {
    this.align(8).#room(8);
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length);
    return this;
  }

  text(value: string): this {
    const bytes = Buffer.from(value, "utf8");
    this.uint32(bytes.length).#raw(bytes);
    return this.byte(0);
  }

  signature(value: string): this {
    const bytes = Buffer.from(value, "latin1");
    this.byte(bytes.length).#raw(bytes);
    return this.byte(0);
  }

  /** An array: its length in bytes, then its items, each at the boundary. */
  array<T>(items: readonly T[], boundary: number, put: (item: T) => void): this {
    this.uint32(0);
    const offset = this.#length - 4;
    this.align(boundary);
    const start = this.#length;
    for (const item of items) {
      this.align(boundary);
      put(item);
    }
    this.#bytes.writeUInt32LE(this.#length - start, offset);
    return this;
  }

  variant(value: BusValue): this {
    switch (value.type) {
      case "s":
        return this.signature("s").text(value.value);
      case "b":
        return this.signature("b").uint32(value.value ? 1 : 0);
      case "t":
        return this.signature("t").uint64(value.value);
      case "commands":
        // What systemd calls ExecStart: program, arguments from the zeroth on, and whether a failure does not matter.
        return this.signature("a(sasb)").array(value.value, 8, (argv) => {
          this.text(argv[0] ?? "")
            .array(argv, 4, (word) => this.text(word))
            .uint32(0);
        });
    }
  }

  #raw(bytes: Buffer): void {
    this.#room(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc((this.#length + bytes) * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** A call of a method. */
export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature?: string;
  body?: BusWriter;
}

const METHOD_CALL = 1;
const METHOD_RETURN = 2;
const ERROR = 3;

/** A call as it goes over the wire. */
export function encodeCall(serial: number, call: BusCall): Buffer {
  const body = call.body?.bytes ?? Buffer.alloc(0);
  const fields: [code: number, type: "o" | "s" | "g", value: string][] = [
    [1, "o", call.path],
    [2, "s", call.interface],
    [3, "s", call.member],
    [6, "s", call.destination],
    ...(call.signature === undefined ? [] : [[8, "g", call.signature] as [number, "g", string]]),
  ];
  const head = new BusWriter()
    .byte(0x6c)
    .byte(METHOD_CALL)
    .byte(0)
    .byte(1)
    .uint32(body.length)
    .uint32(serial);
  head.array(fields, 8, ([code, type, value]) => {
    head.byte(code).signature(type);
    if (type === "g") head.signature(value);
    else head.text(value);
  });
  return Buffer.concat([head.align(8).bytes, body]);
}

/** An answer: the first text of its body, or the error's name with its text. */
export interface BusReply {
  replyTo: number;
  error: string | undefined;
  /** The first value of the body, if it is a text, an object's path, or one of them in a variant. */
  text: string | undefined;
}

/** How long the first message in some bytes is; undefined if its head is not all there. */
export function messageLength(bytes: Buffer): number | undefined {
  if (bytes.length < 16) return undefined;
  if (bytes[0] !== 0x6c) throw new Error("The bus answered in an order of bytes that nobody asked for.");
  const fields = bytes.readUInt32LE(12);
  return Math.ceil((16 + fields) / 8) * 8 + bytes.readUInt32LE(4);
}

/** Reads one whole message; undefined if it is not a reply. */
export function decodeReply(message: Buffer): BusReply | undefined {
  const type = message[1];
  if (type !== METHOD_RETURN && type !== ERROR) return undefined;
  const end = 16 + message.readUInt32LE(12);
  let [replyTo, error, signature] = [0, "", ""];
  for (let at = 16; at < end;) {
    at = Math.ceil(at / 8) * 8;
    const code = message.readUInt8(at);
    const kind = message.toString("latin1", at + 2, at + 3);
    at += 4;
    if (kind === "u") {
      at = Math.ceil(at / 4) * 4;
      if (code === 5) replyTo = message.readUInt32LE(at);
      at += 4;
    } else if (kind === "g") {
      const length = message.readUInt8(at);
      if (code === 8) signature = message.toString("latin1", at + 1, at + 1 + length);
      at += length + 2;
    } else {
      at = Math.ceil(at / 4) * 4;
      const length = message.readUInt32LE(at);
      if (code === 4) error = message.toString("utf8", at + 4, at + 4 + length);
      at += 4 + length + 1;
    }
  }
  const body = message.subarray(Math.ceil(end / 8) * 8);
  const text = firstText(signature, body);
  return { replyTo, error: type === ERROR ? `${error}: ${text ?? ""}` : undefined, text };
}

function firstText(signature: string, body: Buffer): string | undefined {
  let [kind, at] = [signature[0], 0];
  if (kind === "v") {
    kind = body.toString("latin1", 1, 2);
    at = 4;
  }
  if (kind !== "s" && kind !== "o") return undefined;
  const length = body.readUInt32LE(at);
  return body.toString("utf8", at + 4, at + 4 + length);
}
