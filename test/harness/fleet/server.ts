// One API server of a fleet in tests, and ways to it with and without faults.
import {
  ApiClient,
  ApiError,
  kubeconfigCredentials,
  type ApiClientOptions,
  type KubernetesObject,
  type Resource,
} from "../../../controllers/runtime";
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from "../../../sandbox/controlplane";
import { certifiedKey, daysFromNow, type CertifiedKey } from "../../../sandbox/controlplane/certificate";
import { FaultProxy, fixed, type FaultPlan } from "../fault-proxy";

/** A real API server, as hub or as member. */
export class FleetServer {
  readonly #proxies: FaultProxy[] = [];
  readonly #clients: ApiClient[] = [];

  readonly #options: ControlPlaneOptions;
  #plane: ControlPlane;
  #direct: ApiClient;

  private constructor(
    plane: ControlPlane,
    direct: ApiClient,
    readonly certificate: CertifiedKey,
    options: ControlPlaneOptions,
  ) {
    this.#plane = plane;
    this.#direct = direct;
    this.#options = options;
  }

  get plane(): ControlPlane {
    return this.#plane;
  }

  /** Straight to the server. */
  get direct(): ApiClient {
    return this.#direct;
  }

  static async start(options: ControlPlaneOptions = {}): Promise<FleetServer> {
    const all = { timeoutMs: 120_000, ...options };
    const plane = await startControlPlane(all);
    const certificate = await certifiedKey({
      subject: { commonName: "fault-proxy" },
      usages: ["serverAuth", "digitalSignature"],
      names: { ips: ["127.0.0.1"] },
      notAfter: daysFromNow(1),
    });
    const direct = new ApiClient(kubeconfigCredentials(plane.kubeconfig), { rateLimit: false });
    return new FleetServer(plane, direct, certificate, all);
  }

  /** Stops the server, which has to have a `dir`, does something to its data, and starts it again; proxies then stand before the new one. */
  async restart(between: () => Promise<void>): Promise<void> {
    this.#direct.close();
    await this.#plane.stop();
    await between();
    this.#plane = await startControlPlane(this.#options);
    this.#direct = new ApiClient(kubeconfigCredentials(this.#plane.kubeconfig), { rateLimit: false });
    const upstream = await this.upstream();
    for (const proxy of this.#proxies) proxy.retarget(upstream);
  }

  /** How the administrator asks the server. */
  upstream(): ReturnType<ReturnType<typeof kubeconfigCredentials>["current"]> {
    return kubeconfigCredentials(this.plane.kubeconfig).current();
  }

  /** A proxy before it that asks with the rights of a kubeconfig, by default the administrator's, whoever asks it. */
  async proxy(
    plan?: FaultPlan,
    kubeconfig = this.plane.kubeconfig,
    rewrite?: (text: string) => string,
  ): Promise<FaultProxy> {
    const upstream = await kubeconfigCredentials(kubeconfig).current();
    const { certificate } = this;
    const proxy = await FaultProxy.start({
      upstream,
      certificate,
      ...(plan === undefined ? {} : { plan }),
      ...(rewrite === undefined ? {} : { rewrite }),
    });
    this.#proxies.push(proxy);
    return proxy;
  }

  /** A kubeconfig of a proxy: whoever has it asks with the proxy's rights. */
  kubeconfigOf({ url }: FaultProxy): { text: string } {
    const authority = Buffer.from(this.certificate.certificate).toString("base64");
    const cluster = { server: url, "certificate-authority-data": authority };
    const text = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "proxy",
      clusters: [{ name: "proxy", cluster }],
      users: [{ name: "proxy", user: {} }],
      contexts: [{ name: "proxy", context: { cluster: "proxy", user: "proxy" } }],
    });
    return { text };
  }

  /** A client through a proxy. */
  through(proxy: FaultProxy, options: ApiClientOptions = {}): ApiClient {
    const credentials = fixed(proxy.url, this.certificate.certificate);
    const client = new ApiClient(credentials, { rateLimit: false, ...options });
    this.#clients.push(client);
    return client;
  }

  /** The same server, asked with the rights of another kubeconfig. */
  as(kubeconfig: string): FleetServer {
    const direct = new ApiClient(kubeconfigCredentials(kubeconfig), { rateLimit: false });
    this.#clients.push(direct);
    return new FleetServer(this.plane, direct, this.certificate, this.#options);
  }

  /** An object, or undefined if there is none. */
  async find<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: { name: string; namespace?: string },
  ): Promise<T | undefined> {
    try {
      return await this.direct.get(resource, ref);
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const client of [this.direct, ...this.#clients]) client.close();
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
    await this.plane.stop();
  }
}

/** The writes that a proxy saw, as `METHOD path`, without leases and events. */
export function writesSeen(proxy: FaultProxy): string[] {
  return proxy.seen
    .filter(({ method, path }) => method !== "GET" && !/\/(leases|events)(\/|$)/.test(path))
    .map(({ method, path }) => `${method} ${path}`);
}
