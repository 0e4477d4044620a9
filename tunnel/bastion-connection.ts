import type { Duplex } from "node:stream";
import { Client } from "ssh2";
import { errorMessage } from "../lib/failure";
import type { BastionLogin, Endpoint } from "./settings";

const DIAL_MS = 15_000;

/** One SSH connection to a bastion, made when it is first needed and again when it broke. */
export class BastionConnection {
  #client: Promise<Client> | undefined;

  constructor(private readonly login: BastionLogin) {}

  /** A connection from the bastion to a place behind it. */
  async forward({ host, port }: Endpoint): Promise<Duplex> {
    const client = await this.#connected();
    return new Promise((resolve, reject) => {
      client.forwardOut("127.0.0.1", 0, host, port, (error, channel) => {
        if (error === undefined) resolve(channel);
        else
          reject(
            new Error(`the bastion ${this.login.host} could not reach ${host}:${port}: ${error.message}`),
          );
      });
    });
  }

  /** Ends it. */
  close(): void {
    void this.#client?.then(
      (client) => client.end(),
      () => {},
    );
  }

  #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    // What an earlier connection still has to say, of its end too, is not about this one.
    const forget = (): void => {
      if (this.#client === connection) this.#client = undefined;
    };
    const connection = this.#dial(forget).catch((error: unknown) => {
      forget();
      const { user, host, port } = this.login;
      throw new Error(`SSH to ${user}@${host}:${port}: ${errorMessage(error)}`, { cause: error });
    });
    this.#client = connection;
    return connection;
  }

  #dial(closed: () => void): Promise<Client> {
    const { host, port, user, hostKey, privateKey } = this.login;
    const expected = hostKey.trim().split(/\s+/)[1] ?? "";
    const client = new Client();
    const connected = new Promise<Client>((resolve, reject) => {
      client.once("ready", () => resolve(client));
      client.once("error", reject);
      client.once("close", () => {
        closed();
        reject(new Error("the connection was closed"));
      });
    });
    // After it is ready, an error is followed by a close, which is what counts.
    client.on("error", () => {});
    client.connect({
      host,
      port,
      username: user,
      privateKey,
      readyTimeout: DIAL_MS,
      keepaliveInterval: 15_000,
      keepaliveCountMax: 3,
      hostVerifier: (key: Buffer) => key.toString("base64") === expected,
    });
    return connected;
  }
}
