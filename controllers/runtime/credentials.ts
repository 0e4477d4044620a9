// Credentials for an API server from a kubeconfig, read again when a file changes.
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { KubeConfig, type Cluster, type User } from "@kubernetes/client-node";
import { systemClock, type Clock } from "./clock";
import { stampOf } from "./file-stamp";

/** What it takes to speak to an API server right now. */
export interface Credentials {
  /** Address of the API server. */
  server: string;
  tls: TlsCredentials;
  /** Headers that prove who asks. */
  headers: Readonly<Record<string, string>>;
  /** The proxy on the way there: socks5, http or https. */
  proxyUrl?: string;
}

/** The TLS side of credentials, in PEM. */
export interface TlsCredentials {
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
  rejectUnauthorized?: boolean;
}

/** Gives credentials that may rotate. */
export interface CredentialSource {
  current(): Promise<Credentials>;
  /** Says that the server refused the last ones: look again at the source, whatever was remembered. */
  refused(): void;
}

const LOOK_EVERY_MS = 1000;

/**
 * Credentials by a kubeconfig file, or those of the pod if no path is given. The kubeconfig and every file that it
 * names (token, certificate, key, authority) are read again when they change.
 */
export function kubeconfigCredentials(path?: string, clock: Clock = systemClock): CredentialSource {
  return new FileCredentials(
    () => {
      const config = new KubeConfig();
      if (path === undefined) config.loadFromCluster();
      else config.loadFromFile(path);
      return config;
    },
    path === undefined ? [] : [path],
    clock,
  );
}

/** Credentials by a KubeConfig that was made elsewhere. */
export function credentialsOf(config: KubeConfig, clock: Clock = systemClock): CredentialSource {
  return new FileCredentials(() => config, [], clock);
}

class FileCredentials implements CredentialSource {
  readonly #load: () => KubeConfig;
  readonly #roots: readonly string[];
  readonly #clock: Clock;
  #known: { credentials: Credentials; files: string[]; stamp: string; dynamic: boolean } | undefined;
  #lookedAt = -Infinity;
  #reading: Promise<Credentials> | undefined;

  constructor(load: () => KubeConfig, roots: readonly string[], clock: Clock) {
    this.#load = load;
    this.#roots = roots;
    this.#clock = clock;
  }

  current(): Promise<Credentials> {
    const fresh = this.#clock.monotonic() - this.#lookedAt < LOOK_EVERY_MS;
    if (this.#known !== undefined && fresh) return Promise.resolve(this.#known.credentials);
    this.#reading ??= this.#look().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  refused(): void {
    this.#lookedAt = -Infinity;
    if (this.#known !== undefined) this.#known.stamp = "";
  }

  async #look(): Promise<Credentials> {
    this.#lookedAt = this.#clock.monotonic();
    const known = this.#known;
    if (known !== undefined && !known.dynamic && (await stampOf(known.files)) === known.stamp) {
      return known.credentials;
    }
    const config = this.#load();
    const cluster = config.getCurrentCluster();
    if (cluster === null) {
      throw new Error(
        `The kubeconfig ${this.#roots[0] ?? "of the pod"} has no cluster for its current context ${JSON.stringify(config.getCurrentContext())}: set current-context to one of ${
          config
            .getContexts()
            .map(({ name }) => name)
            .join(", ") || "its contexts, of which it has none"
        }.`,
      );
    }
    const user = config.getCurrentUser();
    const files = [...this.#roots, ...filesOf(cluster, user)];
    // Taken before reading: a change in between is then seen as one at the next look.
    const stamp = await stampOf(files);
    const credentials = await read(config, cluster, user);
    this.#known = { credentials, files, stamp, dynamic: isDynamic(user) };
    return credentials;
  }
}

function tokenFileOf(user: User | null): string | undefined {
  const provider: unknown = user?.authProvider;
  if (typeof provider !== "object" || provider === null || !("config" in provider)) return undefined;
  const { config } = provider;
  if (typeof config !== "object" || config === null || !("tokenFile" in config)) return undefined;
  return typeof config.tokenFile === "string" ? config.tokenFile : undefined;
}

// Credentials by a program or by OIDC: the client library knows how, and when they run out.
function isDynamic(user: User | null): boolean {
  return user?.exec !== undefined || (user?.authProvider !== undefined && tokenFileOf(user) === undefined);
}

function filesOf(cluster: Cluster, user: User | null): string[] {
  return [cluster.caFile, user?.certFile, user?.keyFile, tokenFileOf(user)].filter(
    (file): file is string => file !== undefined && file !== "",
  );
}

async function read(config: KubeConfig, cluster: Cluster, user: User | null): Promise<Credentials> {
  const [ca, cert, key] = await Promise.all([
    pem(cluster.caFile, cluster.caData),
    pem(user?.certFile, user?.certData),
    pem(user?.keyFile, user?.keyData),
  ]);
  const tls: TlsCredentials = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster.tlsServerName === undefined ? {} : { servername: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify ? { rejectUnauthorized: false } : {}),
  };
  const where = {
    server: cluster.server,
    ...(cluster.proxyUrl === undefined || cluster.proxyUrl === "" ? {} : { proxyUrl: cluster.proxyUrl }),
  };
  if (isDynamic(user)) return { ...where, ...(await dynamic(config, tls)) };
  const tokenFile = tokenFileOf(user);
  const token = tokenFile === undefined ? user?.token : (await readFile(tokenFile, "utf8")).trim();
  const headers: Record<string, string> = {};
  if (token !== undefined && token !== "") headers.authorization = `Bearer ${token}`;
  else if (user?.username !== undefined) {
    headers.authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64")}`;
  }
  return { ...where, tls, headers };
}

async function dynamic(config: KubeConfig, tls: TlsCredentials): Promise<Omit<Credentials, "server">> {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (typeof value === "string") headers[name.toLowerCase()] = value;
  }
  const { cert, key } = options;
  return {
    headers,
    tls: {
      ...tls,
      ...(cert === undefined ? {} : { cert: String(cert) }),
      ...(typeof key === "string" || Buffer.isBuffer(key) ? { key: String(key) } : {}),
    },
  };
}

async function pem(file: string | undefined, data: string | undefined): Promise<string | undefined> {
  if (data !== undefined && data !== "") return Buffer.from(data, "base64").toString("utf8");
  return file === undefined || file === "" ? undefined : readFile(file, "utf8");
}
