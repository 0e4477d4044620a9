// How a syncer comes by its certificate for the hub: first by a one-time token, later by the certificate itself.
import { randomBytes } from "node:crypto";
import { KubeConfig } from "@kubernetes/client-node";
import { CERTIFICATE_SECONDS, SIGNER, USAGES } from "../../api/hub";
import {
  ApiClient,
  credentialsOf,
  errorMessage,
  sleep,
  systemClock,
  type Clock,
  type Credentials,
  type CredentialSource,
  type Logger,
} from "../runtime";
import { FileStore, type CertificateStore } from "./certificate-store";
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
  /** Where the kubeconfig with the certificate is kept: a file, which only its owner can read, or another place. */
  file: string | CertificateStore;
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
  readonly #store: CertificateStore;
  #held: Held | undefined;
  /** What the store has not taken yet. */
  #unsaved: string | undefined;

  constructor(options: HubAccessOptions) {
    this.#options = options;
    const { file } = options;
    this.#store = typeof file === "string" ? new FileStore(file) : file;
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
    while (!signal.aborted && !(await this.#load(signal)));
    while (!signal.aborted && this.#needs() !== "nothing") await this.#try(signal);
  }

  /** Renews the certificate in time, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const waitMs = this.#unsaved === undefined ? Math.min(LOOK_MS, this.#thirdMs()) : AGAIN_MS;
      await sleep(this.#clock, waitMs, signal);
      if (!isOver()) await this.#save(signal);
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
      await this.#wait(
        need === "first"
          ? "There is no certificate for the hub yet. If the token has expired or was used, register the cluster again."
          : "The certificate was not renewed; trying again.",
        error,
        signal,
      );
    }
  }

  async #obtain(source: CredentialSource, signal: AbortSignal): Promise<void> {
    const { cluster, log, seconds = CERTIFICATE_SECONDS } = this.#options;
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
      this.#unsaved = kubeconfigWith({ cluster, server, ca: tls.ca ?? "", certificate, key });
      // A token is good for one certificate: it is used whether it can be kept now or only later.
      this.#held = heldIn(this.#unsaved);
      await this.#save(signal);
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

  /** Takes up what was kept; says whether the store could be asked. */
  async #load(signal: AbortSignal): Promise<boolean> {
    try {
      const text = await this.#store.read(signal);
      this.#held = text === undefined ? undefined : heldIn(text);
      return true;
    } catch (error) {
      await this.#wait(
        "The certificate for the hub cannot be read where it is kept; trying again.",
        error,
        signal,
      );
      return false;
    }
  }

  async #save(signal: AbortSignal): Promise<void> {
    if (this.#unsaved === undefined) return;
    try {
      await this.#store.write(this.#unsaved, signal);
      this.#unsaved = undefined;
    } catch (error) {
      const cause = errorMessage(error);
      if (!signal.aborted)
        this.#options.log.error("The certificate for the hub is not kept yet; trying again.", { cause });
    }
  }

  async #wait(message: string, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#options.log.error(message, { cause: errorMessage(error) });
    await sleep(this.#clock, AGAIN_MS, signal);
  }
}

function heldIn(kubeconfig: string): Held {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const certificate = Buffer.from(config.getCurrentUser()?.certData ?? "", "base64").toString("utf8");
  return { source: credentialsOf(config), certificate };
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
