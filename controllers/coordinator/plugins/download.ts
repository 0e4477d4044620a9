import { createHash } from "node:crypto";
import dns from "node:dns";
import https from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { errorMessage } from "../../runtime";
import { MAX_BYTES, without } from "./manifest";
import { InstallError } from "./install-error";

/** How files are got. */
export interface DownloadOptions {
  /** Which addresses may be spoken to. @default all but this machine, its links and groups */
  allows?: (address: string) => boolean;
  /** Authorities to trust besides the usual ones. */
  ca?: string;
  /** How long one answer may take. @default 20000 */
  timeoutMs?: number;
}

/** One thing to get. */
export interface Request {
  url: URL;
  headers?: Readonly<Record<string, string>>;
  maxBytes?: number;
  signal: AbortSignal;
}

/** An answer, whatever its code. */
export interface Answer {
  code: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const local = new BlockList();
local.addSubnet("0.0.0.0", 8);
local.addSubnet("127.0.0.0", 8);
local.addSubnet("169.254.0.0", 16);
local.addSubnet("224.0.0.0", 3);
local.addAddress("::", "ipv6");
local.addAddress("::1", "ipv6");
local.addSubnet("fe80::", 10, "ipv6");
local.addSubnet("ff00::", 8, "ipv6");
local.addSubnet("fd00:ec2::", 32, "ipv6");

/** Whether an address is one that plugins may come from: private networks are, the machine and its metadata are not. */
export function isRemote(address: string): boolean {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isRemote(mapped);
  const family = isIP(address);
  return family !== 0 && !local.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Gets files by HTTPS: bounded in size and time, a few redirects, and never from the machine that it runs on. */
export class Downloader {
  readonly #allows: (address: string) => boolean;
  readonly #agent: https.Agent;
  readonly #timeoutMs: number;

  constructor({ allows = isRemote, ca, timeoutMs = 20_000 }: DownloadOptions = {}) {
    this.#allows = allows;
    this.#timeoutMs = timeoutMs;
    this.#agent = new https.Agent({ keepAlive: false, ...(ca === undefined ? {} : { ca }) });
  }

  /** The bytes behind an address, if they have the digest. */
  async file(url: URL, digest: string, request: Omit<Request, "url">): Promise<Buffer> {
    const { code, body } = await this.get({ url, ...request });
    if (code !== 200) throw unreachable(`${url.href} returned ${code}`);
    return verified(body, digest, url.href);
  }

  /** The answer of an address, after redirects. */
  async get(request: Request, redirects = 0): Promise<Answer> {
    const { url } = request;
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "")
      throw new InstallError("SourceRefused", `${url.origin} is not a plain https address and is not asked.`);
    const answer = await this.#once(request);
    const location = answer.headers.location;
    if (!REDIRECTS.has(answer.code) || typeof location !== "string") return answer;
    if (redirects >= MAX_REDIRECTS)
      throw new InstallError("SourceRefused", `${url.href} was redirected more than ${MAX_REDIRECTS} times.`);
    const next = new URL(location, url);
    // What proves who asks is for the one that was asked.
    const given = request.headers ?? {};
    const headers = next.origin === url.origin ? given : without(given, "authorization");
    return this.get({ ...request, url: next, headers }, redirects + 1);
  }

  #once({ url, headers = {}, maxBytes = MAX_BYTES, signal }: Request): Promise<Answer> {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // A name is checked by what it resolves to, when connecting: it may resolve to something else later.
    const lookup: LookupFunction = (name, options, callback) => {
      dns.lookup(name, { ...options, all: true }, (error, found) => {
        const allowed = error === null ? found.filter(({ address }) => this.#allows(address)) : [];
        const [first] = allowed;
        if (error !== null) callback(error, "", 4);
        else if (first === undefined) callback(forbidden(host), "", 4);
        else if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    };
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(
          error instanceof InstallError
            ? error
            : unreachable(`${url.origin} could not be reached: ${errorMessage(error)}`),
        );
      if (isIP(host) !== 0 && !this.#allows(host)) {
        fail(forbidden(host));
        return;
      }
      const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]);
      const options = {
        agent: this.#agent,
        headers: { "user-agent": "fleetwright", ...headers },
        signal: limit,
        lookup,
      };
      const sent = https.get(url, options, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > maxBytes) {
            fail(new InstallError("SourceRefused", `${url.href} has more than ${maxBytes} bytes.`));
            response.destroy();
          }
        });
        response.once("error", fail);
        response.once("close", () => fail(new Error("the answer was cut")));
        response.once("end", () =>
          resolve({ code: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      sent.once("error", fail);
    });
  }
}

function forbidden(host: string): InstallError {
  return new InstallError(
    "SourceRefused",
    `${host} is an address of the machine itself or of its link, from where no plugin is taken: give another.`,
  );
}

function unreachable(what: string): InstallError {
  return new InstallError("SourceUnreachable", `${what}. Retrying.`, true);
}

/** The bytes, if they have the digest. */
export function verified(bytes: Buffer, digest: string, where: string): Buffer {
  const found = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (found === digest) return bytes;
  throw new InstallError(
    "DigestMismatch",
    `${where} has the digest ${found}, but ${digest} is wanted, and nothing of it is applied: find out who changed it, or correct the digest.`,
  );
}
