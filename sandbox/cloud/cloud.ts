import path from "node:path";
import { startAws, type Aws, type AwsOptions, type Change } from "../aws";
import { MachineHost, SERVICES_ADDRESS } from "../machines";
import { rke2Image, Rke2Releases } from "../machines/rke2";
import { allEnded } from "../../lib/all-ended";
import type { Lifetime } from "../../lib/process";
import { type Progress, silentProgress } from "../../lib/progress";
import { ImageRegistry } from "../registry";
import { mountedVolumes } from "./detachment";
import { holdOf } from "./hold";
import { AWS_PORT, REGISTRY_PORT, RELEASES_PORT } from "./ports";
import { imagesOf } from "./record";
import { Reconciler, type CloudLog, type StepError } from "./reconciler";

/** The options of a cloud. */
export interface CloudOptions {
  /** The folder of its state, machines and volumes; the same folder is the same cloud. Must not be on an overlay. */
  dir: string;
  /** Whether machines end with this process. The AWS API always does. @default "owned" */
  lifetime?: Lifetime;
  /** Releases of the RKE2 stand-in that machines can download and run. @default [] @example [DEFAULT_RELEASE] */
  rke2?: readonly string[];
  /** Called with a line for each change of machines, volumes and load balancers. */
  log?: CloudLog;
  progress?: Progress;
  signal?: AbortSignal;
  /** Options of the AWS API. */
  aws?: Pick<AwsOptions, "timing" | "region" | "port">;
}

/** The AWS API with machines, volumes and load balancers behind it. */
export interface Cloud {
  aws: Aws;
  /** The machines; undefined where machines cannot run, and then `reason` says why. */
  machineHost?: MachineHost;
  reason?: string;
  /** The AWS API as the engine reaches it, from inside the sandbox's network where there is one. */
  endpoint: string;
  /** Steps that failed and are being retried. */
  errors: () => StepError[];
  /** Waits until machines, volumes and load balancers match the AWS API. */
  settled: (timeoutMs: number) => Promise<boolean>;
  /** Stops everything; the next start goes on from there. With "leave", machines run on. */
  stop: (machines?: "stop" | "leave") => Promise<void>;
}

/** Starts a cloud. What an earlier run left in the folder is cleaned up or taken over. */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const availability = MachineHost.available();
  const { rke2: rke2Releases = [] } = options;
  const ending = new AbortController();
  let machineHost: MachineHost | undefined;
  let reconciler: Reconciler | undefined;
  let aws: Aws | undefined;
  const releases = new Rke2Releases();
  const images = new ImageRegistry(imagesOf(options.dir));
  const log = options.log ?? (() => {});
  const detachments = mountedVolumes({
    machineHost: () => machineHost,
    setBusy: async (volumeId) => aws?.setAttachmentState(volumeId, "busy"),
    detached: () => void reconciler?.reconcile(),
    signal: ending.signal,
  });
  const stop = async (machines: "stop" | "leave" = "stop"): Promise<void> => {
    ending.abort();
    await reconciler?.stop();
    if (machines === "leave") machineHost?.leave();
    else await machineHost?.close();
    await allEnded([aws?.stop(), releases.close(), images.close()]);
  };
  try {
    const api = startAws({
      ...options.aws,
      dir: path.join(options.dir, "aws"),
      additions: [detachments],
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.progress === undefined ? {} : { progress: options.progress }),
    }).then((started) => (aws = started));
    if (!availability.ok) {
      const { endpoint } = await api;
      return cloudOf(await api, { endpoint, reason: availability.reason, stop });
    }
    const machines = new MachineHost({
      dir: path.join(options.dir, "machines"),
      lifetime: options.lifetime ?? "owned",
      ...(rke2Releases.length === 0 ? {} : { image: await rke2Image({ releases: rke2Releases }) }),
      ...(options.progress === undefined ? {} : { progress: options.progress }),
    });
    const opened = (options.progress ?? silentProgress).step("network and machines", () => machines.open());
    await Promise.allSettled([api, opened]);
    await opened;
    machineHost = machines;
    await (await api).followMachines();
    await forwardAwsApi(machines, await api);
    if (rke2Releases.length > 0)
      await forwardService(machines, "releases", RELEASES_PORT, await releases.listen());
    await forwardService(machines, "registry", REGISTRY_PORT, await images.listen());
    reconciler = new Reconciler(await api, machines, log);
    await reconciler.start();
    follow(await api, machines, reconciler);
    return cloudOf(await api, { endpoint: `http://127.0.0.1:${AWS_PORT}`, machineHost, reconciler, stop });
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

interface CloudParts {
  endpoint: string;
  machineHost?: MachineHost;
  reason?: string;
  reconciler?: Reconciler;
  stop: Cloud["stop"];
}

function cloudOf(aws: Aws, { endpoint, machineHost, reason, reconciler, stop }: CloudParts): Cloud {
  return {
    aws,
    endpoint,
    ...(machineHost === undefined ? {} : { machineHost }),
    ...(reason === undefined ? {} : { reason }),
    errors: () => reconciler?.errors ?? [],
    settled: async (timeoutMs) =>
      reconciler === undefined || reconciler.settled(() => true, AbortSignal.timeout(timeoutMs)),
    stop,
  };
}

/** Forwards the AWS API: the engine reaches it on the sandbox's loopback address, machines at SERVICES_ADDRESS. */
async function forwardAwsApi(
  { networkServices }: Pick<MachineHost, "networkServices">,
  aws: Aws,
): Promise<void> {
  const port = Number(new URL(aws.endpoint).port);
  const target = { side: "outside", host: "127.0.0.1", port } as const;
  await networkServices.forwardPort({
    id: "aws",
    listen: { side: "inside", host: "127.0.0.1", port: AWS_PORT },
    target,
  });
  await forwardService({ networkServices }, "aws-services", AWS_PORT, port);
}

/** Forwards a port of the host's loopback address, so that machines reach it at SERVICES_ADDRESS. */
async function forwardService(
  { networkServices }: Pick<MachineHost, "networkServices">,
  id: string,
  inside: number,
  outside: number,
): Promise<void> {
  await networkServices.forwardPort({
    id,
    listen: { side: "inside", host: SERVICES_ADDRESS, port: inside },
    target: { side: "outside", host: "127.0.0.1", port: outside },
  });
}

function follow(aws: Aws, machineHost: MachineHost, reconciler: Reconciler): void {
  aws.onChange(async (change: Change) => {
    if (change.action === "RebootInstances") {
      // A reboot shows in no state that could be reconciled: it is done while the caller waits.
      await Promise.all(change.list("InstanceId").map((id) => machineHost.reboot(id).catch(() => {})));
      return;
    }
    const hold = holdOf(change);
    if (hold === undefined) void reconciler.reconcile();
    else await reconciler.settled(hold.concerns, AbortSignal.timeout(hold.timeoutMs));
  });
}
