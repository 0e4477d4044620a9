import { randomBytes } from "node:crypto";
import { ceilingObjects, crdOf, KIND_NAMES, type RaisedCeiling } from "../../../api";
import { Coordinator, type CoordinatorOptions } from "../../../controllers/coordinator/coordinator";
import { NAMESPACES } from "../../../controllers/coordinator/native-resources";
import type { CoordinatorController } from "../../../controllers/coordinator/controller-context";
import { CONTROLLERS } from "../../../controllers/coordinator/controllers";
import { accountsOf } from "../../../controllers/coordinator/role";
import { readSettings } from "../../../controllers/coordinator/settings";
import {
  ApiClient,
  kubeconfigCredentials,
  Logger,
  type CredentialSource,
  type KubernetesObject,
  type Resource,
} from "../../../controllers/runtime";
import { certifiedKey, daysFromNow } from "../../../sandbox/controlplane/certificate";
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from "../../../sandbox/controlplane";
import { fixed, FaultProxy, waitFor, type FaultPlan } from "../fault-proxy";
import { applyAll } from "./plugin-probe";

interface Definition extends KubernetesObject {
  spec?: object;
  status?: { conditions?: { type: string; status: string }[] };
}

const CRDS: Resource<Definition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** How a coordinator is started in a test. */
export interface StartOptions extends CoordinatorOptions {
  controllers: string;
  /** @default all */
  definitions?: readonly CoordinatorController[];
  plan?: FaultPlan;
  kubeconfig?: string;
  flags?: readonly string[];
}

/** A coordinator that runs in the test's own process, behind a proxy that counts and breaks requests. */
export interface Running {
  coordinator: Coordinator;
  proxy: FaultProxy;
  lines: string[];
  /** Writes that were sent, other than those of leases and events. */
  writes(): string[];
  stop(): Promise<void>;
}

/** A control plane of one's own with our kinds, since the coordinator acts on the whole cluster. */
export interface CoordinatorFixture {
  plane: ControlPlane;
  direct: ApiClient;
  /** The product's namespace. */
  home: string;
  start(options: StartOptions): Promise<Running>;
  /** A proxy before the API server that asks with the rights of a kubeconfig, whoever asks it. */
  proxy(plan: FaultPlan | undefined, kubeconfig: string): Promise<FaultProxy>;
  /** PEM of the proxies' certificate. */
  proxyCertificate: string;
  /** Applies the ceiling of AuthorizationRoles, with what is raised. */
  applyCeiling(raised?: RaisedCeiling): Promise<void>;
  /** Makes a namespace and gives its name. */
  namespace(labels?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Starts a control plane, installs the CRDs, the accounts and the ceiling of roles, and makes the product's namespace. */
export async function startCoordinatorFixture(
  options: ControlPlaneOptions = {},
): Promise<CoordinatorFixture> {
  const plane = await startControlPlane({ timeoutMs: 120_000, ...options });
  const direct = new ApiClient(kubeconfigCredentials(plane.kubeconfig), { rateLimit: false });
  const home = "fleetwright-system";
  await direct.create(NAMESPACES, { metadata: { name: home } });
  // The accounts that it acts as have their rights also where it runs with those of an administrator.
  const applyCeiling = (raised: RaisedCeiling = {}): Promise<void> =>
    applyAll(direct, ceilingObjects(raised));
  await applyAll(direct, accountsOf(CONTROLLERS, home));
  await applyCeiling();
  await Promise.all(KIND_NAMES.map((name) => direct.create(CRDS, crdOf(name))));
  await Promise.all(
    KIND_NAMES.map((name) =>
      waitFor(`the CRD of ${name}`, async () =>
        (await direct.get(CRDS, crdOf(name).metadata)).status?.conditions?.some(
          ({ type, status }) => type === "Established" && status === "True",
        ),
      ),
    ),
  );
  const certificate = await certifiedKey({
    subject: { commonName: "fault-proxy" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: ["127.0.0.1"] },
    notAfter: daysFromNow(1),
  });
  const running = new Set<Running>();
  const startProxy = async (plan: FaultPlan | undefined, kubeconfig: string): Promise<FaultProxy> => {
    const upstream = await kubeconfigCredentials(kubeconfig).current();
    return FaultProxy.start({ upstream, certificate, ...(plan === undefined ? {} : { plan }) });
  };
  return {
    plane,
    direct,
    home,
    proxy: startProxy,
    applyCeiling,
    proxyCertificate: certificate.certificate,
    async start({
      controllers,
      definitions = CONTROLLERS,
      plan,
      kubeconfig = plane.kubeconfig,
      flags = [],
      ...overrides
    }) {
      const proxy = await startProxy(plan, kubeconfig);
      const credentials: CredentialSource = fixed(proxy.url, certificate.certificate);
      const lines: string[] = [];
      const settings = readSettings(
        [`--controllers=${controllers}`, "--port=0", "--host=127.0.0.1", "--leader-elect=false", ...flags],
        {},
        definitions.map(({ name }) => name),
      );
      const coordinator = new Coordinator(settings, definitions, {
        credentials,
        log: new Logger({ level: "debug", write: (line) => lines.push(line) }),
        ...overrides,
      });
      const end = new AbortController();
      const run = coordinator.run(end.signal);
      const made: Running = {
        coordinator,
        proxy,
        lines,
        writes: () =>
          proxy.seen
            .filter(({ method, path }) => method !== "GET" && !/\/(leases|events)(\/|$)/.test(path))
            .map(({ method, path }) => `${method} ${path}`),
        async stop() {
          running.delete(made);
          end.abort();
          await run;
          await proxy.stop();
        },
      };
      running.add(made);
      return made;
    },
    async namespace(labels = {}) {
      const name = `ns-${randomBytes(4).toString("hex")}`;
      await direct.create(NAMESPACES, { metadata: { name, labels } });
      return name;
    },
    async close() {
      await Promise.all([...running].map((one) => one.stop()));
      direct.close();
      await plane.stop();
    },
  };
}
