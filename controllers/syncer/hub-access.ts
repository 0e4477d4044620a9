// How a syncer comes by its certificate for the hub: first by a one-time token, later by the certificate itself, and kept in a file.
import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { CERTIFICATE_SECONDS, SIGNER, USAGES } from "../../api/hub";
import {
  ApiClient,
  credentialsOf,
  errorCode,
  errorMessage,
  sleep,
  systemClock,
  type Clock,
  type Credentials,
  type CredentialSource,
  type Logger,
} from "../runtime";
import { belongsTo, requestFor, validityOf } from "./certificate";
import { SIGNING_REQUESTS } from "./signing-requests";

const LOOK_MS = 60_000;
const AGAIN_MS = 5000;
const POLL_MS = 1000;

/** What a syncer has to ask with. */
export interface HubAccessOptions {
  cluster: string;
  /** A kubeconfig with the address of the hub and a one-time token. */
  bootstrap: string;
  /** Where the kubeconfig with the certificate is kept; only the owner can read it. */
  file: string;
  log: Logger;
  clock?: Clock;
  /** @default seven days */
  seconds?: number;
}

interface Held {
  source: CredentialSource;
  certificate: string;
}

/** Credentials for the hub that renew themselves after two thirds of their time. */
export class HubAccess implements CredentialSource {
  readonly #options: HubAccessOptions;
  readonly #clock: Clock;
  #held: Held | undefined;

  constructor(options: HubAccessOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** When the certificate ends. */
  get expires(): string | undefined {
    return this.#held === undefined
      ? undefined
      : new Date(validityOf(this.#held.certificate).to).toISOString();
  }

  async current(): Promise<Credentials> {
    if (this.#held === undefined) throw new Error("There is no certificate for the hub yet.");
    return this.#held.source.current();
  }

  refused(): void {
    this.#held?.source.refused();
  }

  /** Waits for the first certificate; undefined if the signal aborts before. */
  async ready(signal: AbortSignal): Promise<void> {
    this.#held = await this.#load();
    while (!signal.aborted && this.#needs() !== "nothing") await this.#try(signal);
  }

  /** Renews the certificate in time, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await sleep(this.#clock, Math.min(LOOK_MS, this.#thirdMs()), signal);
      if (!isOver() && this.#needs() !== "nothing") await this.#try(signal);
    }
  }

  #thirdMs(): number {
    if (this.#held === undefined) return AGAIN_MS;
    const { from, to } = validityOf(this.#held.certificate);
    return Math.max(POLL_MS, (to - from) / 6);
  }

  #needs(): "first" | "renewal" | "nothing" {
    if (this.#held === undefined) return "first";
    const { from, to } = validityOf(this.#held.certificate);
    const now = this.#clock.now();
    if (now >= to) return "first";
    return now >= from + ((to - from) * 2) / 3 ? "renewal" : "nothing";
  }

  async #try(signal: AbortSignal): Promise<void> {
    const { log, bootstrap } = this.#options;
    const need = this.#needs();
    try {
      const config = new KubeConfig();
      if (need === "first") config.loadFromFile(bootstrap);
      const source = need === "first" ? credentialsOf(config) : (this.#held?.source ?? credentialsOf(config));
      await this.#obtain(source, signal);
      log.info(need === "first" ? "The hub gave a certificate." : "The certificate was renewed.", {
        expires: this.expires,
      });
    } catch (error) {
      if (signal.aborted) return;
      log.error(
        need === "first"
          ? "There is no certificate for the hub yet. If the token has expired or was used, register the cluster again."
          : "The certificate was not renewed; trying again.",
        { cause: errorMessage(error) },
      );
      await sleep(this.#clock, AGAIN_MS, signal);
    }
  }

  async #obtain(source: CredentialSource, signal: AbortSignal): Promise<void> {
    const { cluster, file, log, seconds = CERTIFICATE_SECONDS } = this.#options;
    const client = new ApiClient(source, { userAgent: "fleetwright-syncer" });
    try {
      const { key, request } = await requestFor(cluster);
      const name = `fleetwright-${cluster}-${randomBytes(5).toString("hex")}`;
      await client.create(
        SIGNING_REQUESTS,
        {
          metadata: { name },
          spec: {
            request: Buffer.from(request).toString("base64"),
            signerName: SIGNER,
            usages: [...USAGES],
            expirationSeconds: seconds,
          },
        },
        signal,
      );
      log.info("Asked the hub for a certificate; an administrator accepts the cluster there.", {
        request: name,
      });
      const certificate = await this.#await(client, name, signal);
      if (!belongsTo(certificate, key)) throw new Error("The certificate is of another key.");
      const { server, tls } = await source.current();
      const text = kubeconfigWith({ cluster, server, ca: tls.ca ?? "", certificate, key });
      const draft = `${file}.new`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, file);
      this.#held = await this.#load();
    } finally {
      client.close();
    }
  }

  async #await(client: ApiClient, name: string, signal: AbortSignal): Promise<string> {
    for (;;) {
      const { status } = await client.get(SIGNING_REQUESTS, { name }, signal);
      const no = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
      if (no !== undefined)
        throw new Error(`The hub refused the request ${name}: ${no.message ?? no.reason ?? ""}`);
      if (status?.certificate !== undefined)
        return Buffer.from(status.certificate, "base64").toString("utf8");
      if (!(await sleep(this.#clock, POLL_MS, signal))) signal.throwIfAborted();
    }
  }

  async #load(): Promise<Held | undefined> {
    let text: string;
    try {
      text = await readFile(this.#options.file, "utf8");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      return undefined;
    }
    const config = new KubeConfig();
    config.loadFromString(text);
    const certificate = Buffer.from(config.getCurrentUser()?.certData ?? "", "base64").toString("utf8");
    return { source: credentialsOf(config), certificate };
  }
}

function kubeconfigWith({
  cluster,
  server,
  ca,
  certificate,
  key,
}: Record<"cluster" | "server" | "ca" | "certificate" | "key", string>): string {
  const data = (text: string): string => Buffer.from(text).toString("base64");
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "hub",
    clusters: [{ name: "hub", cluster: { server, "certificate-authority-data": data(ca) } }],
    users: [
      { name: cluster, user: { "client-certificate-data": data(certificate), "client-key-data": data(key) } },
    ],
    contexts: [{ name: "hub", context: { cluster: "hub", user: cluster } }],
  })}\n`;
}
