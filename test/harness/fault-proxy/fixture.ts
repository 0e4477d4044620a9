import { randomBytes } from "node:crypto";
import {
  ApiClient,
  kubeconfigCredentials,
  type ApiClientOptions,
  type CredentialSource,
  type KubernetesObject,
  type Resource,
} from "../../../controllers/runtime";
import { certifiedKey, daysFromNow } from "../../../sandbox/controlplane/certificate";
import { FaultProxy, type FaultPlan } from "./fault-proxy";

/** Any object with string data. */
export interface DataObject extends KubernetesObject {
  data?: Record<string, string>;
}

/** A custom resource without rules. */
export interface Widget extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** ConfigMaps. */
export const CONFIG_MAPS: Resource<DataObject> = core("ConfigMap", "configmaps");
/** Secrets. */
export const SECRETS: Resource<DataObject> = core("Secret", "secrets");
/** Namespaces. */
export const NAMESPACES: Resource = { ...core("Namespace", "namespaces"), namespaced: false };

function core(kind: string, plural: string): Resource<DataObject> {
  return { group: "", version: "v1", kind, plural, namespaced: true };
}

/** A namespace of one's own on a real API server, and ways to it with and without faults. */
export interface FaultProxyFixture {
  /** Straight to the server. */
  direct: ApiClient;
  namespace: string;
  /** A proxy of one's own; stopped with the fixture. */
  proxy(plan?: FaultPlan): Promise<FaultProxy>;
  /** A client through a proxy; closed with the fixture. */
  through(proxy: FaultProxy, options?: ApiClientOptions): ApiClient;
  /** The certificate by which clients know the proxies. */
  authority: string;
  /** The resource of a custom resource definition with a free-form spec, which is made at the first asking. */
  widgets(): Promise<Resource<Widget>>;
  close(): Promise<void>;
}

/** Creates the namespace, and later proxies and clients, on the server of a kubeconfig. */
export async function openFaultProxyFixture(kubeconfig: string): Promise<FaultProxyFixture> {
  const direct = new ApiClient(kubeconfigCredentials(kubeconfig), { rateLimit: false });
  const upstream = await kubeconfigCredentials(kubeconfig).current();
  const certificate = await certifiedKey({
    subject: { commonName: "fault-proxy" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: ["127.0.0.1"] },
    notAfter: daysFromNow(1),
  });
  const id = randomBytes(4).toString("hex");
  const namespace = `runtime-${id}`;
  await direct.create(NAMESPACES, { metadata: { name: namespace } });
  const proxies: FaultProxy[] = [];
  const clients: ApiClient[] = [direct];
  let crd: string | undefined;
  return {
    direct,
    namespace,
    async proxy(plan) {
      const made = await FaultProxy.start({ upstream, certificate, ...(plan === undefined ? {} : { plan }) });
      proxies.push(made);
      return made;
    },
    through(proxy, options = {}) {
      const client = new ApiClient(fixed(proxy.url, certificate.certificate), {
        rateLimit: false,
        ...options,
      });
      clients.push(client);
      return client;
    },
    authority: certificate.certificate,
    async widgets() {
      const group = `${namespace}.test`;
      if (crd === undefined) {
        crd = `widgets.${group}`;
        await direct.create(CRDS, definition(group));
      }
      const resource = { group, version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
      await waitFor(`${crd} to be served`, async () => {
        const path = `/apis/${group}/v1/widgets`;
        return direct.request({ method: "GET", path }).then(
          () => true,
          () => false,
        );
      });
      return resource;
    },
    async close() {
      if (crd !== undefined) await direct.delete(CRDS, { name: crd });
      await direct.delete(NAMESPACES, { name: namespace });
      for (const client of clients) client.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}

/** Credentials that never change. */
export function fixed(server: string, ca: string, headers: Record<string, string> = {}): CredentialSource {
  const credentials = { server, tls: { ca }, headers };
  return { current: () => Promise.resolve(credentials), refused: () => {} };
}

/** How long something may take before a test says that it will never happen. No measure of speed: machines are busy. */
const NEVER_MS = 120_000;

/** Waits until something holds; fails with its name if it never does. */
export async function waitFor<T>(
  what: string,
  check: () => T | Promise<T>,
  timeoutMs = NEVER_MS,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (performance.now() > end) throw new Error(`Waited ${timeoutMs} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until what `state` returns has stayed the same for a while; fails with its name if it never comes to rest. */
export async function waitForRest(
  what: string,
  state: () => unknown,
  restMs: number,
  timeoutMs = NEVER_MS,
): Promise<void> {
  let known = JSON.stringify(await state());
  let since = performance.now();
  await waitFor(
    what,
    async () => {
      const found = JSON.stringify(await state());
      if (found !== known) [known, since] = [found, performance.now()];
      return performance.now() - since > restMs;
    },
    timeoutMs,
  );
}

interface Definition extends KubernetesObject {
  spec: object;
}

const CRDS: Resource<Definition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

function definition(group: string): Definition {
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: free, status: free } };
  return {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}
