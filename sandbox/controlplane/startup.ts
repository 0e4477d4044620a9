// The steps of a control plane's start, in their order.
import { grantAccess } from "./access";
import { ApiClient } from "./api";
import { daysFromNow } from "./certificate";
import { argumentsOf, COMPONENT_IDENTITIES, type ComponentName } from "./components";
import { writeConfiguration } from "./configuration";
import type { ProcessGroup } from "./process-group";
import { allEnded } from "../../lib/all-ended";
import { waitFor, type WaitOptions } from "../../lib/deadline";
import { makePrivateDirectories, writePrivate } from "../../lib/files";
import { isReady, type HealthAccess } from "./health";
import { renderKubeconfig } from "./kubeconfig";
import { directoriesOf, kubeconfigFile, logFile, type Layout } from "./layout";
import { LOOPBACK } from "./network";
import { ensureNodes, freeNodes, waitForNodes } from "./nodes";
import type { Plan } from "./options";
import { clientCertificate, ensurePki, type Pki } from "./pki";
import type { Ports } from "./ports";
import type { Progress } from "../../lib/progress";

/** Everything one start works with. */
export interface Startup {
  plan: Plan;
  layout: Layout;
  ports: Ports;
  pki: Pki;
  tools: ReadonlyMap<ComponentName, string>;
  processes: ProcessGroup;
  progress: Progress;
  /** Ends all waiting: a component broke, or the caller gave up. */
  signal: AbortSignal;
}

/** The address of the API server. */
export function endpointOf(ports: Ports): string {
  return `https://${LOOPBACK}:${ports.apiServer}`;
}

/** Creates directories, certificates and configuration files. */
export async function prepareFiles(layout: Layout, jwt: readonly object[] = []): Promise<Pki> {
  await makePrivateDirectories(directoriesOf(layout));
  const [pki] = await allEnded([ensurePki(layout), writeConfiguration(layout, jwt)]);
  return pki;
}

/** Writes the kubeconfigs of the administrator and of the components, which change with the port. */
export async function writeKubeconfigs(layout: Layout, ports: Ports, pki: Pki, name: string): Promise<void> {
  const identities = ["admin", ...Object.values(COMPONENT_IDENTITIES)] as const;
  await Promise.all(
    identities.map((identity) =>
      writePrivate(
        kubeconfigFile(layout, identity),
        renderKubeconfig({
          name,
          user: `${name}-${identity}`,
          endpoint: endpointOf(ports),
          authority: pki.authorities.ca.certificate,
          client: pki.leaves[identity],
        }),
      ),
    ),
  );
}

/** Starts every component of the plan and waits until the cluster can be used. */
export async function bringUp(startup: Startup): Promise<void> {
  const { plan, pki, ports, signal } = startup;
  const wait: WaitOptions = { timeoutMs: plan.timeoutMs, signal };
  // The API server waits for its store by itself, so both may load at the same time.
  await Promise.all([runComponent(startup, "etcd", wait), runComponent(startup, plan.server, wait)]);
  const authority = pki.authorities.ca;
  // Above all rules, so it lives an hour, in memory, for what cannot be done without it.
  const superuser = await clientCertificate(
    authority,
    "fleetwright-bootstrap",
    ["system:masters"],
    daysFromNow(1 / 24),
  );
  const api = new ApiClient({
    endpoint: endpointOf(ports),
    authority: authority.certificate,
    client: superuser,
  });
  try {
    await Promise.all([
      runController(startup, api, wait),
      runComponent(startup, "kube-scheduler", wait),
      grantAccess(api, plan.server).then(() =>
        Promise.all([runNodes(startup, api, wait), adminMayAct(startup, wait)]),
      ),
    ]);
  } finally {
    api.close();
  }
}

/** What the health of these components is asked with. */
export function healthAccess(ports: Ports, pki: Pki): HealthAccess {
  return {
    ports,
    authority: pki.authorities.ca.certificate,
    etcdAuthority: pki.authorities["etcd-ca"].certificate,
    etcdClient: pki.leaves["apiserver-etcd-client"],
  };
}

async function runController(startup: Startup, api: ApiClient, wait: WaitOptions): Promise<void> {
  const name = "kube-controller-manager";
  const { components, server } = startup.plan;
  const firstAccount = async (): Promise<void> => {
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    await waitFor("the service account of the namespace default", async () => exists(api, account), wait);
  };
  if (server === "hub-apiserver") return step(startup, "controllers of the API server", firstAccount);
  if (!components.has(name)) return;
  await launch(startup, name);
  await step(startup, name, async () => {
    await ready(startup, name, wait);
    await firstAccount();
  });
}

async function runComponent(startup: Startup, name: ComponentName, wait: WaitOptions): Promise<void> {
  if (!startup.plan.components.has(name)) return;
  await launch(startup, name);
  await step(startup, name, () => ready(startup, name, wait));
}

async function runNodes(startup: Startup, api: ApiClient, wait: WaitOptions): Promise<void> {
  const { plan } = startup;
  if (!plan.components.has("kwok")) return;
  await freeNodes(api);
  await Promise.all([runComponent(startup, "kwok", wait), ensureNodes(api, plan.nodes)]);
  if (plan.nodes === 0) return;
  await step(startup, `${plan.nodes} simulated nodes`, () => waitForNodes(api, plan.nodes, wait));
}

// Rights reach the authorizer through a watch, shortly after they are written.
async function adminMayAct({ ports, pki }: Startup, wait: WaitOptions): Promise<void> {
  const authority = pki.authorities.ca.certificate;
  const api = new ApiClient({ endpoint: endpointOf(ports), authority, client: pki.leaves.admin });
  try {
    await waitFor("the administrator's rights", async () => exists(api, "/api/v1/namespaces/default"), wait);
  } finally {
    api.close();
  }
}

async function exists(api: ApiClient, path: string): Promise<true> {
  await api.get(path);
  return true;
}

async function ready(startup: Startup, name: ComponentName, wait: WaitOptions): Promise<void> {
  const access = healthAccess(startup.ports, startup.pki);
  await waitFor(
    `${name} to be ready (log: ${logFile(startup.layout, name)})`,
    () => isReady(name, access),
    wait,
  );
}

async function step(startup: Startup, name: string, work: () => Promise<void>): Promise<void> {
  return startup.progress.step(name, work);
}

async function launch(startup: Startup, name: ComponentName): Promise<void> {
  const { layout, plan, ports, tools, processes } = startup;
  const command = tools.get(name);
  if (command === undefined) throw new Error(`No binary was found for ${name}, which the plan contains.`);
  startup.signal.throwIfAborted();
  await processes.start(name, {
    command,
    args: argumentsOf(name, {
      layout,
      ports,
      name: plan.name,
      durable: plan.durable,
      etcdProgram: tools.get("etcd") ?? "etcd",
    }),
    // HOME keeps kwok and others from reading the settings of the person who runs this.
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: layout.dir },
    logFile: logFile(layout, name),
    lifetime: plan.lifetime,
  });
}
