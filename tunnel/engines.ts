import { connect, type ClientHttp2Session } from "node:http2";

/**
 * The engines that a tunnel is open for. Each is watched by a connection to the address at which it serves its programs
 * (gRPC, so HTTP/2), which breaks when the engine ends, however it ends. The program itself ends earlier: what is deleted
 * goes after it.
 */
export class Engines {
  readonly #sessions = new Map<string, ClientHttp2Session>();
  #isHeld = false;
  readonly #ended: () => void;
  /** Resolves when the last engine has ended. */
  readonly ended: Promise<void>;

  constructor() {
    let resolve: () => void = () => {};
    this.ended = new Promise((done) => (resolve = done));
    this.#ended = resolve;
  }

  /** Watches one more. False where the address is none of this machine. */
  watch(address: string): boolean {
    if (!/^(127\.0\.0\.1|localhost|\[::1\]):[0-9]+$/.test(address)) return false;
    if (this.#sessions.has(address)) return true;
    const session = connect(`http://${address}`);
    this.#sessions.set(address, session);
    session.on("error", () => {});
    session.on("close", () => {
      this.#sessions.delete(address);
      if (this.#sessions.size === 0 && !this.#isHeld) this.#ended();
    });
    return true;
  }

  /** Stays open whatever becomes of engines: a person wants it so. */
  hold(): void {
    this.#isHeld = true;
  }
}
