import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Client, ConnectConfig } from "ssh2";
import { errorCode, errorMessage } from "../../../lib/failure";
import type { Context } from "../shell/context";
import { type Connection, type Endpoint, endpoint, hostAndPort } from "./connection";
import { dialWords, kernelWords } from "./go-words";
import { type ExpectedHostKey, hostKeyTypes } from "./host-key";
import { login, type Login } from "./login";

const FIRST_WAIT_MS = 100;
const BACKOFF = 1.5;
const MAX_WAIT_MS = 5000;
const KEEPALIVE_MS = 15_000;
const LOST_KEEPALIVES = 4;

/**
 * Uses a machine over SSH, and hangs up afterwards. Ends when the context's signal does. What it tries, how often and what it says is
 * that of the official provider 1.2.1 (`Dial` of connection.go), but for three things that would only hang there: a server that says
 * nothing is given up after perDialTimeout, a connection that is lost is noticed, and a log-in through a proxy that fails is tried on
 * a new connection.
 */
export async function withMachine<T>(
  context: Context,
  connection: Connection,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const clients: Client[] = [];
  const hangUp = (): void => clients.reverse().forEach((client) => client.end());
  const open = async (client: Promise<Client>): Promise<Client> => {
    const opened = await client;
    clients.push(opened);
    return opened;
  };
  try {
    const target = endpoint(connection);
    const keys = await login(target);
    if (connection.proxy === undefined)
      return await use(
        await open(
          tried(context, "Dial", target, async () =>
            shake(target, keys, await tcp(target, context.signal), context),
          ),
        ),
      );
    const proxy = await open(throughProxy(context, dialProxy(context, endpoint(connection.proxy))));
    const client = tried(context, "Dial from proxy", target, async () =>
      shake(target, keys, await forward(proxy, target), context),
    );
    return await use(await open(throughProxy(context, client)));
  } finally {
    hangUp();
  }
}

async function dialProxy(context: Context, proxy: Endpoint): Promise<Client> {
  const keys = await login(proxy);
  return tried(context, "Dial proxy", proxy, async () =>
    shake(proxy, keys, await tcp(proxy, context.signal), context),
  );
}

async function throughProxy<T>(context: Context, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    context.signal.throwIfAborted();
    throw new Error(`proxy: ${errorMessage(error)}`, { cause: error });
  }
}

/** How long to wait after so many dials that failed. */
export function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * BACKOFF ** failures, MAX_WAIT_MS);
}

/** Whether a dial that failed was the last one. */
export function isLast(failures: number, dialErrorLimit: number): boolean {
  return dialErrorLimit >= 0 && failures > dialErrorLimit;
}

async function tried<T>(
  context: Context,
  what: string,
  { dialErrorLimit }: Endpoint,
  dial: () => Promise<T>,
): Promise<T> {
  const limit = dialErrorLimit < 0 ? "inf" : String(dialErrorLimit);
  for (let dials = 1; ; dials++) {
    context.signal.throwIfAborted();
    try {
      return await dial();
    } catch (error) {
      context.signal.throwIfAborted();
      if (isLast(dials, dialErrorLimit)) {
        throw new Error(`after ${dials - 1} failed attempts: ${errorMessage(error)}`, { cause: error });
      }
      context.log.status(`${what} ${dials}/${limit} failed: retrying`);
      await pause(waitAfter(dials), undefined, { signal: context.signal }).catch(() =>
        context.signal.throwIfAborted(),
      );
    }
  }
}

function tcp(target: Endpoint, signal: AbortSignal): Promise<Socket> {
  const where = hostAndPort(target);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.host, port: target.port });
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      reject(error instanceof Error ? error : new Error(errorMessage(error)));
    };
    const failed = (error: Error): void =>
      fail(new Error(dialWords("tcp", where, errorCode(error)), { cause: error }));
    const aborted = (): void => fail(signal.reason);
    const timer =
      target.perDialTimeout > 0
        ? setTimeout(() => fail(new Error(dialWords("tcp", where, "timeout"))), target.perDialTimeout * 1000)
        : undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      socket.off("error", failed);
    };
    signal.addEventListener("abort", aborted, { once: true });
    socket.once("error", failed);
    socket.once("connect", () => {
      settle();
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** Logs in over a connection that is there. */
async function shake(
  target: Endpoint,
  { config, attempted, expected }: Login,
  sock: Duplex,
  { signal }: Context,
): Promise<Client> {
  const { Client } = await import("ssh2");
  const client = new Client();
  const seen: Seen = { hostKeys: "", attempted: attempted() };
  return new Promise<Client>((resolve, reject) => {
    const seconds = target.perDialTimeout;
    const timer =
      seconds > 0
        ? setTimeout(() => fail(new Error(`no login within ${seconds} s (perDialTimeout)`)), seconds * 1000)
        : undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    };
    const fail = (error: unknown): void => {
      settle();
      client.destroy();
      if (signal.aborted) reject(error instanceof Error ? error : new Error(errorMessage(error)));
      else
        reject(
          new Error(`ssh: handshake failed: ${handshakeWords(error, expected, seen)}`, { cause: error }),
        );
    };
    const aborted = (): void => fail(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    client.on("ready", () => {
      settle();
      resolve(client);
    });
    // After the login this listener stays: an error then ends the channels, and they say so.
    client.on("error", fail);
    client.on("close", () => fail(new Error("EOF")));
    client.on("keyboard-interactive", (_name, _instructions, _lang, prompts, finish) =>
      finish(prompts.map(() => target.password ?? "")),
    );
    client.connect({
      ...config,
      ...seen.attempted.settings,
      sock,
      readyTimeout: 0,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: LOST_KEEPALIVES,
      hostVerifier: (key: Buffer) => {
        if (expected === undefined || key.equals(expected.blob)) return true;
        fail(new Error("ssh: host key mismatch"));
        return false;
      },
      algorithms: { serverHostKey: hostKeyTypes(expected) },
      debug: (line: string) => {
        const offered = "Handshake: (remote) Host key format: ";
        if (line.startsWith(offered)) seen.hostKeys = line.slice(offered.length).replaceAll(",", " ");
      },
    } satisfies ConnectConfig);
  });
}

/** What a log-in has shown until now. */
interface Seen {
  /** The types of keys that the server offered. */
  hostKeys: string;
  readonly attempted: ReturnType<Login["attempted"]>;
}

function handshakeWords(error: unknown, expected: ExpectedHostKey | undefined, seen: Seen): string {
  const level = error instanceof Error && "level" in error ? error.level : undefined;
  if (level === "client-authentication")
    return `ssh: unable to authenticate, attempted methods [${seen.attempted.names().join(" ")}], no supported methods remain`;
  if (level === "handshake" && expected !== undefined && errorMessage(error).includes("host key"))
    return `ssh: no common algorithm for host key; client offered: [${expected.algorithm}], server offered: [${seen.hostKeys}]`;
  if (errorMessage(error) === "Connection lost before handshake") return "EOF";
  const code = errorCode(error);
  if (code !== undefined) return `read tcp: read: ${kernelWords(code, errorMessage(error))}`;
  return errorMessage(error);
}

function forward(proxy: Client, target: Endpoint): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    proxy.forwardOut("127.0.0.1", 0, target.host, target.port, (error, channel) => {
      if (error === undefined) resolve(channel);
      // Such as "(SSH) Channel open failure: Connection refused".
      else
        reject(
          new Error(
            `ssh: rejected: connect failed (${error.message.replace(/^.*Channel open failure: /, "")})`,
            { cause: error },
          ),
        );
    });
  });
}
