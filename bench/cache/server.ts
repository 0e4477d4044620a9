import { execFile } from "node:child_process";
import path from "node:path";
import {
  ApiClient,
  kubeconfigCredentials,
  type KubernetesObject,
  type Resource,
} from "../../controllers/runtime";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { certificateFiles, layoutOf } from "../../sandbox/controlplane/layout";
import { waitFor } from "../../lib/deadline";
import { ExitCode, Failure } from "../../lib/failure";

/** Where the many objects are. */
export const BUSY = "bench-busy";
/** Where nothing happens until the end. */
export const QUIET = "bench-quiet";

/** Bytes of data that make a Secret of 1 KB as the API server stores it; on the wire, as JSON, it has 1.4 KB. */
const DATA_BYTES = 690;

const NAMESPACES: Resource = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};
const CONFIG_MAPS: Resource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

/** A real API server with the objects that are followed. */
export class BenchServer {
  #count = 0;

  private constructor(
    readonly plane: ControlPlane,
    readonly client: ApiClient,
    readonly reference: string,
    readonly signal: AbortSignal,
  ) {}

  static async start(folder: string, reference: string, signal: AbortSignal): Promise<BenchServer> {
    const plane = await startControlPlane({
      dir: path.join(folder, "plane"),
      durable: false,
      // Nobody else may watch Secrets or touch ConfigMaps.
      components: { controllerManager: false, scheduler: false },
      signal,
    });
    const client = new ApiClient(kubeconfigCredentials(plane.kubeconfig), {
      rateLimit: false,
      timeoutMs: 120_000,
    });
    for (const name of [BUSY, QUIET]) await client.create(NAMESPACES, { metadata: { name } });
    return new BenchServer(plane, client, reference, signal);
  }

  get kubeconfig(): string {
    return this.plane.kubeconfig;
  }

  /** Adds Secrets up to a number, and waits until the API server knows them all. */
  async growTo(count: number): Promise<void> {
    const layout = layoutOf(this.plane.dir);
    const identity = certificateFiles(layout, "apiserver-etcd-client");
    const etcd = this.plane.processes.find(({ name }) => name === "etcd");
    await this.#write("fill", {
      etcd: `https://127.0.0.1:${etcd?.port ?? 0}`,
      authority: certificateFiles(layout, "etcd-ca").certificate,
      certificate: identity.certificate,
      key: identity.key,
      namespace: BUSY,
      from: this.#count,
      to: count,
      workers: 4,
    });
    this.#count = count;
    const request = { method: "GET", path: `/api/v1/namespaces/${BUSY}/secrets`, query: { limit: 1 } };
    await waitFor(
      `the API server to know ${count} Secrets`,
      async () => {
        // It answers out of its cache when that is as new as etcd; as long as it is not, the answer takes seconds.
        const startedAt = performance.now();
        const { metadata } = await this.client.request<{ metadata: { remainingItemCount?: number } }>(
          request,
        );
        const known = (metadata.remainingItemCount ?? 0) + 1;
        return known === count ? performance.now() - startedAt < 1000 : `it knows ${known}`;
      },
      { timeoutMs: 120_000, intervalMs: 500, signal: this.signal },
    );
  }

  /** Changes Secrets as fast as the server takes it; when each change was accepted is written to `out`. */
  async update(updates: number, out: string): Promise<void> {
    await this.#write("update", {
      kubeconfig: this.kubeconfig,
      namespace: BUSY,
      to: Math.min(this.#count, 1000),
      updates,
      workers: 16,
      out,
    });
  }

  /** Makes one ConfigMap where it was quiet. Gives its version and when it was accepted, in microseconds. */
  async breakSilence(): Promise<[version: string, acceptedAt: number]> {
    const made: KubernetesObject = await this.client.create(CONFIG_MAPS, {
      metadata: { namespace: QUIET, name: "event" },
    });
    return [
      made.metadata.resourceVersion ?? "",
      Math.round((performance.timeOrigin + performance.now()) * 1000),
    ];
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.plane.stop();
  }

  #write(what: string, options: Readonly<Record<string, string | number>>): Promise<void> {
    const args = Object.entries({ ...options, bytes: DATA_BYTES }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    return new Promise((resolve, reject) => {
      execFile(this.reference, [what, ...args], { signal: this.signal }, (error, _stdout, stderr) => {
        if (error === null) resolve();
        else if (this.signal.aborted) reject(new Failure("Interrupted.", ExitCode.interrupted));
        else reject(new Failure(`${what} failed: ${error.message}\n${stderr}`, undefined, { cause: error }));
      });
    });
  }
}
