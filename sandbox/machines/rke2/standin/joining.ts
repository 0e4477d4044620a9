import { setTimeout as pause } from "node:timers/promises";
import { errorMessage, Failure } from "../../../../lib/failure";
import { at, listAt, parseJson, textAt } from "../../../../lib/json";
import type { SharedFiles } from "./authorities";
import type { Datastore } from "./datastore";
import { log } from "./log";
import { planMember, type Member, type MemberIdentity, type MemberPlan } from "./member";
import { CRITICAL_KEYS, type Settings } from "./settings";
import { SupervisorClient } from "./supervisor-client";
import type { Token } from "./token";

const JOIN_RETRY_MS = 1000;
const JOIN_TRIES = 120;

/** The cluster to join, with its authority checked. Only a server token opens it. */
export async function connectToCluster(settings: Settings, token: Token): Promise<SupervisorClient> {
  const client = await SupervisorClient.connect(settings.server ?? "", token, "server");
  const theirs = parseJson(await client.get("/v1-rke2/config"));
  const ours = clusterConfig(settings);
  const mismatches = CRITICAL_KEYS.filter(
    (key) => JSON.stringify(at(theirs, key)) !== JSON.stringify(at(ours, key)),
  );
  if (mismatches.length > 0) {
    const told = mismatches.map((key) =>
      key === "agent-token"
        ? key
        : `${key} (${String(at(ours, key))} here, ${String(at(theirs, key))} there)`,
    );
    throw new Failure(
      `failed to validate server configuration: critical configuration value mismatch between servers: ${told.join(", ")}`,
    );
  }
  return client;
}

/** What servers must agree on and nodes must know. The agent token is compared, not told. */
export function clusterConfig(settings: Settings): Record<string, unknown> {
  return {
    "agent-token": settings.agentToken !== undefined || settings.agentTokenFile !== undefined,
    "cluster-cidr": settings.clusterCidr,
    "cluster-dns": settings.clusterDns,
    "cluster-domain": settings.clusterDomain,
    "disable-cloud-controller": settings.disableCloudController,
    "disable-kube-proxy": settings.disableKubeProxy,
    "service-cidr": settings.serviceCidr,
  };
}

/** Adds this server to the cluster as a learner. There is one learner at a time, so it may have to wait for its turn. */
export async function joinPlan(
  datastore: Datastore,
  identity: MemberIdentity,
  settings: Settings,
  shared: SharedFiles,
  join: SupervisorClient,
): Promise<MemberPlan> {
  for (let tries = 1; ; tries++) {
    const told = listAt(parseJson(await join.get("/db/info")), "members").map(memberOf);
    const endpoint = told.find(({ learner, clientUrls }) => !learner && clientUrls.length > 0)?.clientUrls[0];
    if (endpoint === undefined) throw new Failure(`${join.url} tells of no member of etcd to join.`);
    const remote = await datastore.client(shared, endpoint);
    try {
      const members = await remote.members(true);
      const plan = planMember(identity, { initialized: false, server: settings.server ?? "", members });
      if (plan.kind === "join" && plan.add) {
        log(
          "info",
          `Adding member ${identity.name}=${identity.peerUrl} to etcd cluster [${members.map(({ name }) => name).join(" ")}]`,
        );
        await remote.addLearner(identity.peerUrl);
      }
      return plan;
    } catch (error) {
      const busy = /too many learner|unhealthy cluster|re-configuration failed/.test(errorMessage(error));
      if (!busy || tries >= JOIN_TRIES) throw error;
      log("info", `Waiting to join etcd: ${errorMessage(error)}`);
      await pause(JOIN_RETRY_MS);
    } finally {
      remote.close();
    }
  }
}

function memberOf(value: unknown): Member {
  return {
    id: textAt(value, "id") ?? "",
    name: textAt(value, "name") ?? "",
    peerUrls: listAt(value, "peerUrls").map(String),
    clientUrls: listAt(value, "clientUrls").map(String),
    learner: at(value, "learner") === true,
  };
}
