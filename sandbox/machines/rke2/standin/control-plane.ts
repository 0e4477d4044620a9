// API server, controller manager and scheduler of a server of the stand-in.
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ApiClient } from "../../../controlplane/api";
import { waitFor } from "../../../../lib/deadline";
import { Failure } from "../../../../lib/failure";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { authorityOf, type SharedFiles } from "./authorities";
import {
  apiServerArguments,
  controllerManagerArguments,
  schedulerArguments,
  type ApiServerFiles,
} from "./component-arguments";
import type { ProcessGroup } from "./process-group";
import { kubeconfigText } from "./kubeconfig";
import { API_PORT, type Layout } from "./layout";
import { readPair } from "./leaf-certificates";
import type { Settings } from "./settings";

const API = `https://127.0.0.1:${API_PORT}`;
const START_MS = 300_000;

/** Starts the API server and, when it is ready, the controller manager and the scheduler. */
export async function startControlPlane(
  processes: ProcessGroup,
  settings: Settings,
  layout: Layout,
  shared: SharedFiles,
): Promise<ApiClient> {
  await writeCredentials(settings, layout, shared);
  const post = (name: string, args: readonly string[]) => ({
    ...{ name, args, command: path.join(layout.bin, name) },
    logFile: path.join(layout.logs, `${name}.log`),
  });
  const files = await apiServerFiles(settings, layout);
  await processes.start(post("kube-apiserver", apiServerArguments(settings, layout, files)));
  const client = await readPair(path.join(layout.tls, "client-supervisor"));
  const authority = authorityOf(shared, "server-ca").certificate;
  const api = new ApiClient({ endpoint: API, authority, ...(client === undefined ? {} : { client }) });
  const ready = async (): Promise<true | string> => {
    const { status, body } = await api.send("GET", "/readyz");
    return status === 200 || body;
  };
  await waitFor("the API server to be ready", ready, { timeoutMs: START_MS, intervalMs: 150 });
  await processes.start(post("kube-controller-manager", controllerManagerArguments(settings, layout)));
  if (!settings.disableScheduler)
    await processes.start(post("kube-scheduler", schedulerArguments(settings, layout)));
  return api;
}

/** Writes the kubeconfigs: those of the components, the server's own, and the one for people. */
async function writeCredentials(settings: Settings, layout: Layout, shared: SharedFiles): Promise<void> {
  const authority = authorityOf(shared, "server-ca").certificate;
  const text = async (leaf: string): Promise<string> => {
    const pair = await readPair(path.join(layout.tls, leaf));
    if (pair === undefined) throw new Failure(`There is no certificate ${layout.tls}/${leaf}.crt.`);
    return kubeconfigText(API, authority, pair);
  };
  await mkdir(layout.cred, { recursive: true, mode: 0o700 });
  await writePrivate(path.join(layout.cred, "admin.kubeconfig"), await text("client-admin"));
  await writePrivate(path.join(layout.cred, "controller.kubeconfig"), await text("client-controller"));
  await writePrivate(path.join(layout.cred, "scheduler.kubeconfig"), await text("client-scheduler"));
  await mkdir(path.dirname(settings.kubeconfig), { recursive: true });
  await writePrivate(settings.kubeconfig, await text("client-admin"));
  if (settings.kubeconfigGroup !== undefined)
    await chown(settings.kubeconfig, 0, await groupId(settings.kubeconfigGroup));
  await chmod(settings.kubeconfig, settings.kubeconfigMode);
}

async function groupId(group: string): Promise<number> {
  if (/^\d+$/.test(group)) return Number(group);
  const line = (await readFile("/etc/group", "utf8"))
    .split("\n")
    .find((entry) => entry.startsWith(`${group}:`));
  if (line === undefined)
    throw new Failure(`write-kubeconfig-group names the group ${group}, which does not exist.`);
  return Number(line.split(":")[2]);
}

async function apiServerFiles(settings: Settings, layout: Layout): Promise<ApiServerFiles> {
  await mkdir(path.dirname(layout.auditLog), { recursive: true, mode: 0o700 });
  const { auditPolicyFile: audit, podSecurityFile: security } = settings;
  for (const file of [audit, security])
    if (file !== undefined && (await readIfPresent(file)) === undefined)
      throw new Failure(`${file} does not exist; it is named in the configuration.`);
  const admission = security ?? (settings.profile === "cis" ? await writeCisAdmission() : undefined);
  return {
    ...(audit === undefined ? {} : { auditPolicy: audit }),
    ...(admission === undefined ? {} : { admission }),
  };
}

/** The pod security of the CIS profile: restricted everywhere but where the system itself runs. */
async function writeCisAdmission(): Promise<string> {
  const file = "/etc/rancher/rke2/rke2-pss.yaml";
  if ((await readIfPresent(file)) !== undefined) return file;
  const level = { enforce: "restricted", audit: "restricted", warn: "restricted" };
  const versions = { "enforce-version": "latest", "audit-version": "latest", "warn-version": "latest" };
  const configuration = {
    apiVersion: "pod-security.admission.config.k8s.io/v1beta1",
    kind: "PodSecurityConfiguration",
    defaults: { ...level, ...versions },
    exemptions: {
      usernames: [],
      runtimeClasses: [],
      namespaces: ["kube-system", "compliance-operator-system", "tigera-operator"],
    },
  };
  const admission = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [{ name: "PodSecurity", configuration }],
  };
  await writeFile(file, `${JSON.stringify(admission, undefined, 2)}\n`, { mode: 0o600 });
  return file;
}
