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

  private constructor(
    readonly plane: ControlPlane,
    readonly direct: ApiClient,
    readonly certificate: CertifiedKey,
  ) {}

  static async start(options: ControlPlaneOptions = {}): Promise<FleetServer> {
    const plane = await startControlPlane({ timeoutMs: 120_000, ...options });
    const certificate = await certifiedKey({
      subject: { commonName: "fault-proxy" },
      usages: ["serverAuth", "digitalSignature"],
      names: { ips: ["127.0.0.1"] },
      notAfter: daysFromNow(1),
    });
    const direct = new ApiClient(kubeconfigCredentials(plane.kubeconfig), { rateLimit: false });
    return new FleetServer(plane, direct, certificate);
  }

  /** A proxy before it that asks with the rights of a kubeconfig, by default the administrator's, whoever asks it. */
  async proxy(plan?: FaultPlan, kubeconfig = this.plane.kubeconfig): Promise<FaultProxy> {
    const upstream = await kubeconfigCredentials(kubeconfig).current();
    const { certificate } = this;
    const proxy = await FaultProxy.start({ upstream, certificate, ...(plan === undefined ? {} : { plan }) });
    this.#proxies.push(proxy);
    return proxy;
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
    return new FleetServer(this.plane, direct, this.certificate);
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
