import { connect, type Socket } from "node:net";
import { decodeReply, encodeCall, messageLength, type BusCall } from "./bus-message";

const TIMEOUT_MS = 20_000;

/** An error reply from the bus. */
export class BusError extends Error {
  override readonly name = "BusError";
}

/** Connects to the host's D-Bus system bus, makes a few calls one after another, and disconnects. */
export async function overBus<T>(socketPath: string, talk: (bus: SystemBus) => Promise<T>): Promise<T> {
  const bus = await SystemBus.open(socketPath);
  try {
    return await talk(bus);
  } finally {
    bus.close();
  }
}

/** A connection to the system bus. */
export class SystemBus {
  #serial = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};
  #end: Error | undefined;

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    const end = (error: Error): void => {
      this.#end ??= error;
      this.#wake();
    };
    socket.on("error", end);
    socket.on("close", () => end(new BusError("The host's system bus closed the connection.")));
    socket.setTimeout(TIMEOUT_MS, () =>
      socket.destroy(new BusError("The host's system bus does not answer.")),
    );
  }

  /** Connects and authenticates by user id, which the kernel confirms. */
  static async open(socketPath: string): Promise<SystemBus> {
    const bus = new SystemBus(connect(socketPath));
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
    bus.socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
    const answer = await bus.#line();
    if (!answer.startsWith("OK ")) {
      bus.close();
      throw new BusError(`The host's system bus refused the agent: ${answer}`);
    }
    bus.socket.write("BEGIN\r\n");
    const names = "org.freedesktop.DBus";
    await bus.call({ destination: names, path: "/org/freedesktop/DBus", interface: names, member: "Hello" });
    return bus;
  }

  /** Calls a method and returns the first string of its reply. */
  async call(call: BusCall): Promise<string | undefined> {
    const serial = ++this.#serial;
    this.socket.write(encodeCall(serial, call));
    for (;;) {
      const length = messageLength(this.#bytes);
      if (length === undefined || this.#bytes.length < length) {
        await this.#more();
        continue;
      }
      const reply = decodeReply(this.#bytes.subarray(0, length));
      this.#bytes = this.#bytes.subarray(length);
      if (reply?.replyTo !== serial) continue;
      if (reply.error !== undefined) throw new BusError(reply.error);
      return reply.text;
    }
  }

  close(): void {
    this.socket.destroy();
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf("\r\n");
      if (end !== -1) {
        const line = this.#bytes.toString("latin1", 0, end);
        this.#bytes = this.#bytes.subarray(end + 2);
        return line;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    if (this.#end !== undefined) throw this.#end;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
