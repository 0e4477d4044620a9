// The hub's controllers in the test's own process, behind a proxy that counts and breaks requests.
import { readFile } from "node:fs/promises";
import { CONTROLLERS } from "../../../controllers/hub/controllers";
import { HubControllers } from "../../../controllers/hub/hub";
import { CLUSTERS, SECRETS, type ClusterObject } from "../../../controllers/hub/kinds";
import { readSettings } from "../../../controllers/hub/settings";
import { Logger } from "../../../controllers/runtime";
import { fixed, waitFor, type FaultPlan, type FaultProxy } from "../fault-proxy";
import { writesSeen, type FleetServer } from "./server";

/** The hub's controllers at work. */
export interface RunningHub {
  controllers: HubControllers;
  proxy: FaultProxy;
  lines: string[];
  writes(): string[];
  stop(): Promise<void>;
}

/** Starts the hub's controllers; with `user` they have the rights of that user alone, and not the administrator's. */
export async function startHub(
  hub: FleetServer,
  flags: readonly string[] = [],
  { plan, user }: { plan?: FaultPlan; user?: string } = {},
): Promise<RunningHub> {
  const proxy = await hub.proxy(plan);
  const lines: string[] = [];
  const settings = readSettings(
    ["--port=0", "--host=127.0.0.1", "--leader-elect=false", "--heartbeat=1", "--identity=hub", ...flags],
    {},
    CONTROLLERS.map(({ name }) => name),
  );
  const controllers = new HubControllers(settings, CONTROLLERS, {
    credentials: fixed(
      proxy.url,
      hub.certificate.certificate,
      user === undefined ? {} : { "impersonate-user": user },
    ),
    log: new Logger({ level: "debug", write: (line) => lines.push(line) }),
  });
  const end = new AbortController();
  const run = controllers.run(end.signal);
  return {
    controllers,
    proxy,
    lines,
    writes: () => writesSeen(proxy),
    async stop() {
      end.abort();
      await run;
      await proxy.stop();
    },
  };
}

/** Writes a Cluster in the mode push, with a Secret that holds a kubeconfig, which is a file's or the text that is given. */
export async function pushCluster(
  hub: FleetServer,
  name: string,
  kubeconfig: string | { text: string },
  spec: object = {},
): Promise<void> {
  const namespace = "fleetwright-system";
  const secret = { metadata: { name: `cluster-${name}`, namespace } };
  const text = typeof kubeconfig === "string" ? await readFile(kubeconfig, "utf8") : kubeconfig.text;
  await hub.direct.create(SECRETS, { ...secret, data: { kubeconfig: Buffer.from(text).toString("base64") } });
  const connection = { mode: "push", secretRef: { name: secret.metadata.name, namespace } };
  await hub.direct.create(CLUSTERS, {
    metadata: { name },
    spec: { connection, accepted: true, ...spec },
  } as ClusterObject);
}

/** Waits until a condition of a Cluster has a reason; gives it. */
export async function clusterSays(
  hub: FleetServer,
  name: string,
  type: string,
  reason: string,
  timeoutMs = 60_000,
): Promise<{ status: string; message: string; lastTransitionTime: string }> {
  let last = "nothing";
  const found = await waitFor(
    `${type} of ${name} to say ${reason}`,
    async () => {
      const cluster = await hub.find(CLUSTERS, { name });
      const condition = cluster?.status?.conditions?.find((one) => one.type === type);
      last = `${condition?.status ?? ""} ${condition?.reason ?? ""}: ${condition?.message ?? ""}`;
      return condition?.reason === reason ? condition : undefined;
    },
    timeoutMs,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} It says ${last}`, { cause: error });
  });
  if (found === undefined) throw new Error(`The Cluster ${name} says ${last}`);
  return found;
}
