import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Client, ConnectConfig } from "ssh2";
import { errorMessage } from "../../../lib/failure";
import type { Context } from "../shell/context";
import { readPrivateKey, sshPrivateKey } from "../ssh-key";
import { address, type Connection, type Endpoint, endpoint } from "./connection";
import { HostKeyMismatch, hostKeyTypes, mismatch, parseHostKey } from "./host-key";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5000;
const KEEPALIVE_MS = 15_000;
const LOST_KEEPALIVES = 4;

/** Uses a machine over SSH, and hangs up afterwards. Ends when the context's signal does. */
export async function withMachine<T>(
  context: Context,
  connection: Connection,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const clients: Client[] = [];
  const hangUp = (): void => clients.reverse().forEach((client) => client.end());
  try {
    const target = endpoint(connection);
    let through: (() => Promise<Duplex>) | undefined;
    if (connection.proxy !== undefined) {
      const proxy = await dial(context, endpoint(connection.proxy), "proxy ");
      clients.push(proxy);
      through = () => forward(proxy, target);
    }
    const client = await dial(context, target, "", through);
    clients.push(client);
    return await use(client);
  } finally {
    hangUp();
  }
}

/** How long to wait after a failed dial; half of it is chance, so that many machines are not dialled in step. */
export function waitAfter(failures: number, random: number = Math.random()): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS);
  return full / 2 + (full / 2) * random;
}

/** Whether a dial that failed was the last one. */
export function isLast(failures: number, dialErrorLimit: number): boolean {
  return dialErrorLimit >= 0 && failures > dialErrorLimit;
}

async function dial(
  context: Context,
  target: Endpoint,
  what: string,
  through?: () => Promise<Duplex>,
): Promise<Client> {
  const config = await settings(target);
  const limit = target.dialErrorLimit < 0 ? "" : `/${target.dialErrorLimit + 1}`;
  for (let failures = 1; ; failures++) {
    context.signal.throwIfAborted();
    try {
      return await dialOnce(target, { ...config, ...(through && { sock: await through() }) }, context.signal);
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof HostKeyMismatch) throw error;
      if (isLast(failures, target.dialErrorLimit)) {
        throw new Error(
          `Cannot log in to ${what}${address(target)}: ${failures} dial${failures === 1 ? "" : "s"} failed ` +
            `(dialErrorLimit ${target.dialErrorLimit}), the last one with: ${errorMessage(error)}`,
          { cause: error },
        );
      }
      context.log.status(
        `dial ${failures}${limit} of ${what}${address(target)} failed (${errorMessage(error)}), trying again`,
      );
      await pause(waitAfter(failures), undefined, { signal: context.signal }).catch(() =>
        context.signal.throwIfAborted(),
      );
    }
  }
}

async function dialOnce(target: Endpoint, config: ConnectConfig, signal: AbortSignal): Promise<Client> {
  const { Client } = await import("ssh2");
  const expected = target.hostKey === undefined ? undefined : parseHostKey(target.hostKey);
  const client = new Client();
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
      reject(error instanceof Error ? error : new Error(errorMessage(error)));
    };
    const aborted = (): void => fail(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    client.on("ready", () => {
      settle();
      resolve(client);
    });
    // After the login this listener stays: an error then ends the channels, and they say so.
    client.on("error", fail);
    client.on("close", () => fail(new Error("the server hung up")));
    client.on("keyboard-interactive", (_name, _instructions, _lang, prompts, finish) =>
      finish(prompts.map(() => target.password ?? "")),
    );
    client.connect({
      ...config,
      hostVerifier: (key: Buffer) => {
        if (expected === undefined || key.equals(expected.blob)) return true;
        fail(mismatch(target, expected, key));
        return false;
      },
      algorithms: { serverHostKey: hostKeyTypes(expected) },
    });
  });
}

/** The settings of a login; mistakes in them fail at once, since dialling would not help. */
async function settings(target: Endpoint): Promise<ConnectConfig> {
  if (target.hostKey !== undefined) parseHostKey(target.hostKey);
  const { privateKey, password, agentSocketPath } = target;
  const identity =
    privateKey === undefined ? undefined : await usableKey(privateKey, target.privateKeyPassword);
  const methods = [
    ...(identity === undefined ? [] : (["publickey"] as const)),
    ...(password === undefined ? [] : (["password", "keyboard-interactive"] as const)),
    ...(agentSocketPath === undefined ? [] : (["agent"] as const)),
  ];
  if (methods.length === 0) {
    throw new Error(
      `No way to log in to ${address(target)}: set connection.privateKey, connection.password or connection.agentSocketPath (or SSH_AUTH_SOCK).`,
    );
  }
  return {
    host: target.host,
    port: target.port,
    username: target.user,
    readyTimeout: target.perDialTimeout * 1000,
    keepaliveInterval: KEEPALIVE_MS,
    keepaliveCountMax: LOST_KEEPALIVES,
    authHandler: methods,
    tryKeyboard: password !== undefined,
    ...(password !== undefined && { password }),
    ...(agentSocketPath !== undefined && { agent: agentSocketPath }),
    ...identity,
  };
}

/** A private key in a form that the SSH library reads; it does not know PKCS#8, which is how ED25519 keys come as PEM. */
async function usableKey(pem: string, passphrase: string | undefined): Promise<ConnectConfig> {
  const { utils } = await import("ssh2");
  const secret = passphrase === undefined ? {} : { passphrase };
  try {
    const identity = /-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(pem)
      ? { privateKey: sshPrivateKey(readPrivateKey(pem, passphrase)) ?? pem }
      : { privateKey: pem, ...secret };
    const parsed = utils.parseKey(identity.privateKey, passphrase);
    if ("message" in parsed) throw new Error(parsed.message);
    return identity;
  } catch (error) {
    throw new Error(
      `connection.privateKey cannot be used: ${errorMessage(error)}. It must be a private key in OpenSSH or PEM form; if it is encrypted, set connection.privateKeyPassword.`,
      { cause: error },
    );
  }
}

function forward(proxy: Client, target: Endpoint): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    proxy.forwardOut("127.0.0.1", 0, target.host, target.port, (error, channel) => {
      if (error === undefined) resolve(channel);
      else reject(new Error(`the proxy cannot reach ${target.host}:${target.port}: ${error.message}`));
    });
  });
}
