// `rke2 server` of the stand-in: datastore, control plane, supervisor and its own node.
import { chmod, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { randomBytes } from "node:crypto";
import type { ApiClient } from "../../../controlplane/api";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { isObject, parseJson } from "../../../../lib/json";
import { tokenText } from "./agent";
import {
  authorityOf,
  isComplete,
  makeShared,
  readShared,
  writeShared,
  type SharedFiles,
} from "./authorities";
import { startContainerd } from "./containerd";
import { startControlPlane } from "./control-plane";
import type { ProcessGroup } from "./process-group";
import { Datastore } from "./datastore";
import { runDeployController, writePackagedManifests } from "./deploy-controller";
import { checkCis, prepareKernel } from "./kernel";
import { clusterConfig, connectToCluster, joinPlan } from "./joining";
import { ensureServerLeaves, nodeCertificate, readPair } from "./leaf-certificates";
import type { Layout } from "./layout";
import { log } from "./log";
import { planMember } from "./member";
import { MemberController } from "./member-controller";
import { startNode } from "./node";
import { checkNodePassword, ownPassword } from "./node-password";
import { linkPrograms } from "./programs";
import { writeRegistries } from "./registries";
import type { Release } from "./release";
import type { Settings } from "./settings";
import { scheduleSnapshots } from "./snapshot-schedule";
import { serveSupervisor, type Passwords } from "./supervisor";
import type { SupervisorClient } from "./supervisor-client";
import { checkAuthority, formatToken, parseToken, type Token } from "./token";

/** Runs a server; returns when the API is served and the kubelet runs. */
export async function runServer(
  processes: ProcessGroup,
  settings: Settings,
  layout: Layout,
  release: Release,
  device: string,
): Promise<void> {
  if (settings.profile !== "none") await checkCis();
  await linkPrograms(release, layout);
  await writeRegistries(settings.registriesFile, layout);
  for (const folder of [layout.server, layout.db, layout.logs])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(layout.dataDir, 0o755);
  const datastore = new Datastore(settings, layout);
  await datastore.discardRemovedMember();
  const token = await serverToken(settings, layout);
  const initialized = await datastore.initialized();
  const join =
    !initialized && settings.server !== undefined ? await connectToCluster(settings, token) : undefined;
  if (initialized) log("info", "Starting etcd for existing cluster member");
  const shared = await prepareShared(settings, layout, datastore, token, join);
  const passwords = { server: token.password, agent: (await agentPassword(settings)) ?? token.password };
  await writeTokens(layout, shared, passwords, settings);
  await ensureServerLeaves(layout.tls, shared, settings);
  await prepareKernel(settings.clusterCidr);
  const containerd = startContainerd(processes, layout, release);
  // It is waited for below; that it may fail before is no reason to end without a word.
  containerd.catch(() => {});

  const identity = await datastore.identity();
  const plan =
    join === undefined
      ? planMember(identity, { initialized })
      : await joinPlan(datastore, identity, settings, shared, join);
  await datastore.start(processes, identity, plan, () => {
    log("fatal", "this node has been removed from the cluster; restart the service to rejoin it");
    process.exit(1);
  });
  const etcd = await datastore.client(shared);
  await datastore.awaitMembership(etcd, identity);
  await datastore.keepShared(etcd, shared, token.password);
  await rm(layout.resetFlag, { force: true });

  const served: { api?: ApiClient } = {};
  const serving = await readPair(path.join(layout.tls, "serving-kube-apiserver"));
  await serveSupervisor(
    {
      serving: { cert: serving?.certificate ?? "", key: serving?.key ?? "" },
      shared,
      passwords,
      config: () => clusterConfig(settings),
      members: () => etcd.members(true),
      api: () => served.api,
    },
    settings.bindAddress,
  );
  void new MemberController(settings, identity, etcd, () => served.api).run();
  const api = await startControlPlane(processes, settings, layout, shared);
  served.api = api;
  log("info", "Kube API server is now running");
  await checkNodePassword(api, settings.nodeName, await ownPassword());
  await containerd;
  const node = { name: settings.nodeName, ip: settings.nodeIp };
  await startNode(
    processes,
    settings,
    layout,
    {
      cluster: settings,
      serverCa: authorityOf(shared, "server-ca").certificate,
      clientCa: authorityOf(shared, "client-ca").certificate,
      kubelet: await nodeCertificate(shared, "client-kubelet", node),
      kubeletServing: await nodeCertificate(shared, "serving-kubelet", node),
      kubeProxy: await nodeCertificate(shared, "client-kube-proxy", node),
    },
    device,
  );
  await writePackagedManifests(settings, layout);
  void runDeployController(settings, layout);
  scheduleSnapshots(settings, layout);
}

/** The token of this server: as configured, or the one that the server had before, or a new one. */
export async function serverToken(settings: Settings, layout: Layout): Promise<Token> {
  if (settings.token !== undefined || settings.tokenFile !== undefined)
    return parseToken(await tokenText(settings));
  const stored = await readIfPresent(layout.token);
  return stored === undefined
    ? { password: randomBytes(16).toString("hex") }
    : { password: parseToken(stored).password };
}

async function agentPassword(settings: Settings): Promise<string | undefined> {
  const { agentToken, agentTokenFile } = settings;
  const text = agentToken ?? (agentTokenFile === undefined ? undefined : await readIfPresent(agentTokenFile));
  return text === undefined ? undefined : parseToken(text).password;
}

/** The authorities: those of the cluster that is joined, those on the disk, those in the datastore, or new ones. */
async function prepareShared(
  settings: Settings,
  layout: Layout,
  datastore: Datastore,
  token: Token,
  join: SupervisorClient | undefined,
): Promise<SharedFiles> {
  const found = await readShared(layout);
  let shared: SharedFiles;
  if (join !== undefined) shared = texts(parseJson(await join.get("/v1-rke2/server-bootstrap")));
  else if (isComplete(found)) shared = found;
  else if (await datastore.initialized()) shared = await datastore.recoverShared(token.password);
  else shared = await makeShared(found, settings.encryptionProvider);
  checkAuthority(token, authorityOf(shared, "server-ca").certificate);
  await writeShared(layout, shared);
  return shared;
}

async function writeTokens(
  layout: Layout,
  shared: SharedFiles,
  passwords: Passwords,
  settings: Settings,
): Promise<void> {
  const authority = authorityOf(shared, "server-ca").certificate;
  const full = `${formatToken(authority, "server", passwords.server)}\n`;
  await writePrivate(layout.token, full);
  await writePrivate(layout.nodeToken, full);
  const separate = settings.agentToken !== undefined || settings.agentTokenFile !== undefined;
  await writePrivate(
    layout.agentToken,
    separate ? `${formatToken(authority, "node", passwords.agent)}\n` : full,
  );
}

function texts(value: unknown): SharedFiles {
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).map(([name, text]) => [name, String(text)]),
  );
}
