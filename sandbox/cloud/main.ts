// The process of a sandbox's cloud: main.ts DIR. It runs until SIGTERM. If it is killed, machines run on, and the next
// one takes them over.
import { basename } from "node:path";
import { rmSync } from "node:fs";
import { errorMessage } from "../../lib/failure";
import { DEFAULT_RELEASE } from "../machines/rke2";
import { identify } from "../../lib/process";
import { lineProgress } from "../../lib/progress";
import { serveControlSocket } from "../machines/control-socket";
import { startCloud } from "./cloud";
import { controlHandler } from "./control";
import { controlSocket, recordFile, writeCloudRecord } from "./record";

async function main(dir: string): Promise<void> {
  rmSync(recordFile(dir), { force: true });
  const log = (line: string): void => void process.stdout.write(`${new Date().toISOString()} ${line}\n`);
  const ending = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        ending.abort();
        resolve();
      });
    }
  });
  const cloud = await startCloud({
    dir,
    lifetime: "detached",
    rke2: [DEFAULT_RELEASE],
    log,
    signal: ending.signal,
    progress: lineProgress(log),
  });
  const control = await serveControlSocket(controlSocket(dir), controlHandler(cloud));
  const self = identify(process.pid);
  if (self === undefined) throw new Error("this process is not in /proc");
  writeCloudRecord(dir, {
    process: self,
    hostEndpoint: cloud.aws.endpoint,
    endpoint: cloud.endpoint,
    region: cloud.aws.region,
    ...(cloud.machineHost === undefined ? {} : { network: basename(cloud.machineHost.namespace) }),
    ...(cloud.reason === undefined ? {} : { reason: cloud.reason }),
  });
  log(
    `ready: AWS's API at ${cloud.aws.endpoint}${cloud.reason === undefined ? "" : `; no machines: ${cloud.reason}`}`,
  );
  await stopped;
  log("stopping");
  rmSync(recordFile(dir), { force: true });
  control.close();
  control.closeAllConnections();
  await cloud.stop();
}

main(process.argv[2] ?? "").then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  },
);
