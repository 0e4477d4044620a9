// The part of SOCKS 5 that clients of Kubernetes speak: connect to a name or address, without a login (RFC 1928).
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorMessage } from "../lib/failure";
import type { Endpoint } from "./settings";

/** The first byte of whoever speaks it. */
export const SOCKS_VERSION = 5;

const Reply = {
  succeeded: 0,
  failed: 1,
  notAllowed: 2,
  unreachable: 4,
  commandUnknown: 7,
  addressUnknown: 8,
};
const CONNECT = 1;

/** What a tunnel does for its clients. */
export interface SocksHandler {
  isAllowed(endpoint: Endpoint): boolean;
  forward(endpoint: Endpoint): Promise<Duplex>;
  /** Hears of a place that could not be reached. */
  failed(message: string): void;
}

/** Serves one client to the end of its connection. */
export async function serveSocks(socket: Socket, handler: SocksHandler): Promise<void> {
  const reader = new Reader(socket);
  const [, methods = 0] = await reader.read(2);
  await reader.read(methods);
  socket.write(Buffer.from([SOCKS_VERSION, 0]));
  const [, command = 0, , type = 0] = await reader.read(4);
  const host = await readHost(reader, type);
  const port = (await reader.read(2)).readUInt16BE();
  const answer = (code: number): void =>
    void socket.write(Buffer.from([SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]));
  const refuse = (code: number): void => {
    answer(code);
    socket.end();
  };
  if (command !== CONNECT) {
    refuse(Reply.commandUnknown);
    return;
  }
  if (host === undefined) {
    refuse(Reply.addressUnknown);
    return;
  }
  if (!handler.isAllowed({ host, port })) {
    refuse(Reply.notAllowed);
    return;
  }
  let channel: Duplex;
  try {
    channel = await handler.forward({ host, port });
  } catch (error) {
    handler.failed(errorMessage(error));
    refuse(Reply.unreachable);
    return;
  }
  answer(Reply.succeeded);
  const end = (): void => {
    channel.destroy();
    socket.destroy();
  };
  channel.on("error", end).on("close", end);
  socket.on("error", end).on("close", end);
  reader.rest(channel);
  channel.pipe(socket);
}

async function readHost(reader: Reader, type: number): Promise<string | undefined> {
  switch (type) {
    case 1:
      return [...(await reader.read(4))].join(".");
    case 3: {
      const [length = 0] = await reader.read(1);
      return (await reader.read(length)).toString("latin1");
    }
    case 4: {
      const bytes = await reader.read(16);
      return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(":");
    }
    default:
      return undefined;
  }
}

/** Reads a given number of bytes at a time. */
class Reader {
  constructor(private readonly socket: Socket) {}

  async read(length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    for (;;) {
      const chunk = this.socket.read(length) as Buffer | null;
      if (chunk !== null && chunk.length === length) return chunk;
      if (chunk !== null || this.socket.readableEnded || this.socket.destroyed)
        throw new Error("the client went in the middle of its request");
      await Promise.race([
        once(this.socket, "readable"),
        once(this.socket, "end"),
        once(this.socket, "close"),
      ]);
    }
  }

  /** Whatever comes now goes on to somewhere else. */
  rest(target: Duplex): void {
    this.socket.pipe(target);
  }
}
