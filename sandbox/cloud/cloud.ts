import path from "node:path";
import { startAws, type Aws, type AwsOptions, type Change } from "../aws";
import type { StepListener } from "../controlplane/steps";
import { inStep } from "../controlplane/steps";
import { MachineHall, SERVICES_ADDRESS } from "../machines";
import { rke2Image, Rke2Releases } from "../machines/rke2";
import type { Lifetime } from "../process";
import type { Progress } from "../progress";
import { ImageRegistry } from "../registry";
import { mountedVolumes } from "./detachment";
import { holdOf } from "./hold";
import { imagesOf } from "./record";
import { Reconciler, type CloudLog, type Trouble } from "./reconciler";

/** The port at which machines find releases of RKE2's stand-in, at the address of services. */
export const RELEASES_PORT = 8080;

/** The port at which machines find the sandbox's images, at the address of services. */
export const REGISTRY_PORT = 5000;

/** The port of AWS's API inside a sandbox's network, where nothing else can have it. */
export const AWS_PORT = 4566;

/** How a cloud is started. */
export interface CloudOptions {
  /** Where its state, machines and volumes lie; the same folder is the same cloud. Must not be on an overlay. */
  dir: string;
  /** Whether machines end with this process. AWS's API always does. @default "owned" */
  lifetime?: Lifetime;
  /** Releases of RKE2's stand-in that machines can run, and find. @default [] @example [DEFAULT_RELEASE] */
  rke2?: readonly string[];
  /** Hears what is done to machines, volumes and load balancers. */
  log?: CloudLog;
  onStep?: StepListener;
  progress?: Progress;
  signal?: AbortSignal;
  /** Settings of AWS's API. */
  aws?: Pick<AwsOptions, "timing" | "region" | "port" | "control">;
}

/** AWS's API with machines, volumes and load balancers behind it. */
export interface Cloud {
  aws: Aws;
  /** The machines; undefined where none can run, `reason` says why. */
  hall?: MachineHall;
  reason?: string;
  /** AWS's API as the engine sees it, from inside the sandbox's network where there is one. */
  endpoint: string;
  /** What could not be done so far. */
  troubles: () => Trouble[];
  /** Waits until machines, volumes and load balancers are what AWS's API says. */
  settled: (timeoutMs: number) => Promise<boolean>;
  /** Stops everything and keeps what is needed to go on. With "leave", machines run on. */
  stop: (machines?: "stop" | "leave") => Promise<void>;
}

/** Brings up a cloud. What an earlier run left in the folder is cleaned up or taken over. */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const availability = MachineHall.available();
  const { rke2: stock = [] } = options;
  const ending = new AbortController();
  let hall: MachineHall | undefined;
  let reconciler: Reconciler | undefined;
  let aws: Aws | undefined;
  const releases = new Rke2Releases();
  const images = new ImageRegistry(imagesOf(options.dir));
  const log = options.log ?? (() => {});
  const detachments = mountedVolumes({
    hall: () => hall,
    setBusy: async (volumeId) => aws?.setAttachmentState(volumeId, "busy"),
    detached: () => void reconciler?.look(),
    signal: ending.signal,
  });
  const stop = async (machines: "stop" | "leave" = "stop"): Promise<void> => {
    ending.abort();
    await reconciler?.stop();
    if (machines === "leave") hall?.leave();
    else await hall?.close();
    await Promise.all([aws?.stop(), releases.close(), images.close()]);
  };
  try {
    const api = startAws({
      ...options.aws,
      dir: path.join(options.dir, "aws"),
      additions: [detachments],
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.onStep === undefined ? {} : { onStep: options.onStep }),
      ...(options.progress === undefined ? {} : { progress: options.progress }),
    }).then((started) => (aws = started));
    if (!availability.ok) {
      const { endpoint } = await api;
      return cloudOf(await api, { endpoint, reason: availability.reason, stop });
    }
    const machines = new MachineHall({
      dir: path.join(options.dir, "machines"),
      lifetime: options.lifetime ?? "owned",
      ...(stock.length === 0 ? {} : { image: await rke2Image({ releases: stock }) }),
      ...(options.progress === undefined ? {} : { progress: options.progress }),
    });
    const opened = inStep(options.onStep, "network and machines", () => machines.open());
    await Promise.allSettled([api, opened]);
    await opened;
    hall = machines;
    await openDoors(machines, await api);
    if (stock.length > 0) await openDoor(machines, "releases", RELEASES_PORT, await releases.listen());
    await openDoor(machines, "registry", REGISTRY_PORT, await images.listen());
    reconciler = new Reconciler(await api, machines, log);
    await reconciler.start();
    follow(await api, machines, reconciler);
    return cloudOf(await api, { endpoint: `http://127.0.0.1:${AWS_PORT}`, hall, reconciler, stop });
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

interface CloudParts {
  endpoint: string;
  hall?: MachineHall;
  reason?: string;
  reconciler?: Reconciler;
  stop: Cloud["stop"];
}

function cloudOf(aws: Aws, { endpoint, hall, reason, reconciler, stop }: CloudParts): Cloud {
  return {
    aws,
    endpoint,
    ...(hall === undefined ? {} : { hall }),
    ...(reason === undefined ? {} : { reason }),
    troubles: () => reconciler?.troubles ?? [],
    settled: async (timeoutMs) =>
      reconciler === undefined || reconciler.settled(() => true, AbortSignal.timeout(timeoutMs)),
    stop,
  };
}

/** The engine finds AWS's API on its loopback address, machines at the address of services. */
async function openDoors({ switchboard }: Pick<MachineHall, "switchboard">, aws: Aws): Promise<void> {
  const port = Number(new URL(aws.endpoint).port);
  const target = { side: "outside", host: "127.0.0.1", port } as const;
  await switchboard.forward({
    id: "aws",
    listen: { side: "inside", host: "127.0.0.1", port: AWS_PORT },
    target,
  });
  await openDoor({ switchboard }, "aws-services", AWS_PORT, port);
}

/** Machines find a port of the host's loopback address at the address of services. */
async function openDoor(
  { switchboard }: Pick<MachineHall, "switchboard">,
  id: string,
  inside: number,
  outside: number,
): Promise<void> {
  await switchboard.forward({
    id,
    listen: { side: "inside", host: SERVICES_ADDRESS, port: inside },
    target: { side: "outside", host: "127.0.0.1", port: outside },
  });
}

function follow(aws: Aws, hall: MachineHall, reconciler: Reconciler): void {
  aws.onChange(async (change: Change) => {
    if (change.action === "RebootInstances") {
      // There is no state that a reboot could be told from: it is done while the caller waits.
      await Promise.all(change.list("InstanceId").map((id) => hall.reboot(id).catch(() => {})));
      return;
    }
    const hold = holdOf(change);
    if (hold === undefined) void reconciler.look();
    else await reconciler.settled(hold.concerns, AbortSignal.timeout(hold.timeoutMs));
  });
}
