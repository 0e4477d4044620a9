import { basename } from "node:path";
import { rmSync } from "node:fs";
import { errorMessage } from "../failure";
import { DEFAULT_RELEASE } from "../machines/rke2";
import { identify } from "../process";
import { forwardOptions } from "./door";
import { startCloud, type Cloud } from "./cloud";
import { recordFile, writeCloudRecord } from "./record";
import type { CloudStatus } from "./status";

/**
 * The process of a sandbox's cloud. It lives until it is asked to end. If it is killed, machines run on, and the next
 * one takes them over.
 */
async function main(dir: string): Promise<void> {
  rmSync(recordFile(dir), { force: true });
  const say = (line: string): void => void process.stdout.write(`${new Date().toISOString()} ${line}\n`);
  const ending = new AbortController();
  const orders = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        ending.abort();
        resolve();
      });
    }
  });
  // Asked only once the cloud is there.
  const current: { cloud?: Cloud } = {};
  const cloud = await startCloud({
    dir,
    lifetime: "detached",
    rke2: [DEFAULT_RELEASE],
    log: say,
    signal: ending.signal,
    progress: { step: (title, work) => work((detail) => say(`${title}: ${detail}`)), note: say },
    onStep: ({ name, state, elapsedMs }) => {
      if (state === "finished") say(`${name} ready (${(elapsedMs / 1000).toFixed(1)} s)`);
    },
    aws: {
      control: (method, place, body) =>
        current.cloud === undefined ? undefined : answer(current.cloud, method, place, body),
    },
  });
  current.cloud = cloud;
  const self = identify(process.pid);
  if (self === undefined) throw new Error("this process cannot find itself in /proc");
  writeCloudRecord(dir, {
    process: self,
    hostEndpoint: cloud.aws.endpoint,
    endpoint: cloud.endpoint,
    region: cloud.aws.region,
    ...(cloud.hall === undefined ? {} : { network: basename(cloud.hall.namespace) }),
    ...(cloud.reason === undefined ? {} : { reason: cloud.reason }),
  });
  say(
    `ready: AWS's API at ${cloud.aws.endpoint}${cloud.reason === undefined ? "" : `; no machines: ${cloud.reason}`}`,
  );
  await orders;
  say("stopping");
  rmSync(recordFile(dir), { force: true });
  await cloud.stop();
}

async function answer(cloud: Cloud, method: string, place: string, body: unknown): Promise<unknown> {
  const { hall } = cloud;
  const [what, id = "", order = ""] = place.split("/");
  if (method === "GET" && what === "status") return statusOf(cloud);
  if (hall === undefined) return undefined;
  if (method === "PUT" && what === "doors") {
    await hall.switchboard.forward({ id, ...forwardOptions.parse(body) });
    return {};
  }
  if (method === "POST" && what === "machines") {
    if (order === "crash") await hall.crash(id);
    else if (order === "reboot") await hall.reboot(id);
    else return undefined;
    return {};
  }
  return undefined;
}

async function statusOf({ hall, troubles }: Cloud): Promise<CloudStatus> {
  const machines = (await hall?.list()) ?? [];
  const volumes = (await hall?.volumes.list()) ?? [];
  return {
    machines: machines.map(({ id, state, privateIp, spec }) => ({
      ...{ id, state, privateIp, zone: spec.zone },
      ...(spec.tags.Name === undefined ? {} : { name: spec.tags.Name }),
    })),
    volumes: volumes.map(({ id, sizeGiB, state, attachment }) => ({
      ...{ id, sizeGiB, state },
      ...(attachment === undefined ? {} : { machineId: attachment.machineId }),
    })),
    balancers: (hall?.switchboard.balancers() ?? []).map(({ id, name, listeners }) => ({
      name: name ?? id,
      ports: listeners.map(({ port }) => port),
    })),
    troubles: troubles(),
  };
}

main(process.argv[2] ?? "").then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  },
);
