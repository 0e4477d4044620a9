import { generateKeyPairSync } from "node:crypto";
import { connect, type AddressInfo } from "node:net";
import ssh2, { type Connection } from "ssh2";

/** A key pair as ssh2 and OpenSSH write it. */
export function keyPair(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, publicKey: `${parsed.type} ${parsed.getPublicSSH().toString("base64")}` };
}

/** For tests: an SSH server that forwards connections and nothing else, as a bastion does. */
export class TestBastion {
  readonly host = keyPair();
  readonly login = keyPair();
  /** How many logged in. */
  logins = 0;
  /** Whether it lets nobody in for now. */
  isLocked = false;
  readonly #connections = new Set<Connection>();
  readonly #server = new ssh2.Server({ hostKeys: [this.host.privateKey] }, (connection) => {
    this.#connections.add(connection);
    connection.on("error", () => {}).on("close", () => this.#connections.delete(connection));
    connection.on("authentication", (context) => {
      const known = this.login.publicKey.split(" ")[1];
      if (context.method === "publickey" && context.key.data.toString("base64") === known && !this.isLocked)
        context.accept();
      else context.reject(["publickey"]);
    });
    connection.on("ready", () => (this.logins += 1));
    connection.on("tcpip", (accept, reject, { destIP, destPort }) => {
      const socket = connect(this.to ?? { host: destIP, port: destPort });
      socket.once("connect", () => {
        const channel = accept();
        channel.on("error", () => socket.destroy()).on("close", () => socket.destroy());
        channel.pipe(socket).pipe(channel);
      });
      socket.once("error", () => reject());
    });
  });

  /** Leads to where it is asked to, or to one place whatever it is asked for. */
  constructor(private readonly to?: { host: string; port: number }) {}

  /** Begins to listen and gives the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections, as a reboot does. */
  drop(): void {
    for (const connection of this.#connections) connection.end();
  }

  /** Ends. */
  async close(): Promise<void> {
    this.drop();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }
}
