// A syncer that runs in the test's own process, behind proxies that count and break requests on both sides.
import { Logger, Metrics } from "../../../controllers/runtime";
import { Syncer, type SyncerOptions } from "../../../controllers/syncer/syncer";
import type { FaultPlan, FaultProxy } from "../fault-proxy";
import { writesSeen, type FleetServer } from "./server";

/** How a syncer is started in a test. */
export interface StartSyncer extends Partial<Pick<SyncerOptions, "inFlight">> {
  cluster: string;
  hub: FleetServer;
  member: FleetServer;
  hubPlan?: FaultPlan;
  memberPlan?: FaultPlan;
  /** Replaces in what it asks of the member, so that one server can stand for several members. */
  memberRewrite?: (text: string) => string;
  /** As whom it asks the hub; by default the administrator. */
  hubKubeconfig?: string;
}

/** A syncer at work. */
export interface RunningSyncer {
  syncer: Syncer;
  metrics: Metrics;
  hubProxy: FaultProxy;
  memberProxy: FaultProxy;
  lines: string[];
  /** What it wrote into hub and member, other than its heartbeat. */
  writes(): string[];
  stop(): Promise<void>;
}

/** Starts a syncer. */
export async function startSyncer(options: StartSyncer): Promise<RunningSyncer> {
  const { cluster, hub, member, hubPlan, memberPlan, memberRewrite, hubKubeconfig, inFlight } = options;
  const hubProxy = await hub.proxy(hubPlan, hubKubeconfig);
  const memberProxy = await member.proxy(memberPlan, undefined, memberRewrite);
  const lines: string[] = [];
  const metrics = new Metrics().forCluster(cluster);
  const clients = [hub.through(hubProxy, { metrics }), member.through(memberProxy, { metrics })] as const;
  const syncer = new Syncer({
    cluster,
    hub: clients[0],
    member: clients[1],
    identity: "test",
    log: new Logger({ level: "debug", write: (line) => lines.push(line) }),
    metrics,
    claimAgainMs: 200,
    ...(inFlight === undefined ? {} : { inFlight }),
  });
  const end = new AbortController();
  const run = syncer.run(end.signal);
  return {
    syncer,
    metrics,
    hubProxy,
    memberProxy,
    lines,
    writes: () => [...writesSeen(hubProxy), ...writesSeen(memberProxy)],
    async stop() {
      end.abort();
      await run;
      for (const client of clients) client.close();
      await Promise.all([hubProxy.stop(), memberProxy.stop()]);
    },
  };
}
