// The sandbox's AWS API: moto behind a front end that refuses, delays and records as AWS does.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makePrivateDirectories, readIfPresent, writePrivate } from "../../lib/files";
import type { Lifetime } from "../../lib/process";
import { type Progress, silentProgress } from "../../lib/progress";
import { Backend } from "./backend";
import { list, text, type Call } from "./call";
import { ACCOUNT, clientsFor, type Clients } from "./clients";
import { lifecyclePolicies, PolicyStore } from "./dlm";
import { eksAdditions, EksStore } from "./eks";
import { ensureMoto } from "./environment";
import { Faults } from "./faults";
import { HttpFrontEnd, type Control } from "./http-front-end";
import { GroupClock } from "./group-clock";
import { findLeftovers, type Leftover } from "./leftovers";
import { Ledger } from "./ledger";
import { partitionOf } from "./partition";
import { partitionArns } from "./partition-arns";
import { Pipeline } from "./pipeline";
import { Replays } from "./replays";
import { REFUSALS } from "./refusals/catalogue";
import type { Addition } from "./rule";
import { readState, type CloudState } from "./state";
import { DEFAULT_TIMING, motoDelays, type Timing } from "./timing";
import { awsVariables } from "./variables";

/** How the AWS API is started. */
export interface AwsOptions {
  /** Where its state is kept over restarts. Without it the state ends with this process. */
  dir?: string;
  /** Whether moto ends with this process, even if that one is killed. @default "owned" */
  lifetime?: Lifetime;
  /** Ends the start. */
  signal?: AbortSignal;
  /** Shows the steps of the start, with the installation of moto the first time. */
  progress?: Progress;
  /** How long things take. */
  timing?: Partial<Timing>;
  /** The region that `state` and `leftovers` look at. @default "eu-central-1" */
  region?: string;
  /** The port to listen on, if it is free. @default the one of the last time, or any */
  port?: number;
  /** Answers of whoever stands behind the API, such as the sandbox's machines. */
  additions?: readonly Addition[];
}

/** A call that changed something. */
export interface Change {
  service: string;
  action: string;
  /** A parameter as it was sent. */
  text: (name: string) => string | undefined;
  /** The values of a list parameter, such as `InstanceId`. */
  list: (name: string) => string[];
}

/** Hears of changes. The caller gets its answer when the promise is fulfilled. */
export type ChangeListener = (change: Change) => void | Promise<void>;

/** What a check found about a target. */
export interface TargetHealth {
  state: "initial" | "healthy" | "unhealthy" | "unused" | "draining" | "unavailable";
  /** Such as `Target.FailedHealthChecks`. */
  reason?: string;
  description?: string;
}

/** The running AWS API of the sandbox. */
export interface Aws {
  endpoint: string;
  region: string;
  account: string;
  /** Variables that make AWS's tools and SDKs talk to it. */
  environment: Record<string, string>;
  ledger: Ledger;
  faults: Faults;
  /** What exists beyond an empty account. */
  leftovers: () => Promise<Leftover[]>;
  /** What exists, with all that machines and load balancers are made from. */
  state: () => Promise<CloudState>;
  /** Calls the listener after each change of EC2, load balancers or auto scaling groups; gives the way to end that. */
  onChange: (listener: ChangeListener) => () => void;
  /** Says what a check of a target found; DescribeTargetHealth answers it from then on. */
  setTargetHealth: (
    targetGroupArn: string,
    target: { id: string; port?: number },
    health: TargetHealth,
  ) => Promise<void>;
  /** Says that a machine ended, or came back, by itself. */
  setInstanceState: (instanceId: string, state: "running" | "stopped") => Promise<void>;
  /** From now on an instance that is stopping is stopped when `machineEnded` says so. */
  followMachines: () => Promise<void>;
  /** Says that the machine of an instance that is stopping has switched itself off. */
  machineEnded: (instanceId: string) => Promise<void>;
  /** Says that a volume is still mounted where it is to be detached ("busy"), or not any more. */
  setAttachmentState: (volumeId: string, state: "attached" | "busy") => Promise<void>;
  /** Clients that see neither faults nor delays and whose calls stand in no ledger. */
  clients: Clients;
  /** Lets an EKS cluster answer with the address and authority of a control plane that really runs. */
  setClusterEndpoint: (name: string, endpoint: string, certificateAuthority: string) => void;
  setTiming: (timing: Partial<Timing>) => Promise<void>;
  /** The process of moto, for those who want to see it end. */
  motoProcess: { pid: number };
  stop: () => Promise<void>;
}

const RECONCILED = ["ec2", "elasticloadbalancing", "autoscaling"];

/** Starts moto as a child process and the HTTP front end in this process. */
export async function startAws(options: AwsOptions = {}): Promise<Aws> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), "fleetwright-aws-")));
  const durable = options.dir !== undefined;
  const region = options.region ?? "eu-central-1";
  await makePrivateDirectories([dir]);
  const { progress = silentProgress } = options;
  const python = await ensureMoto({ progress });
  let backend: Backend | undefined;
  try {
    backend = await progress.step("moto", () =>
      Backend.start({
        python,
        dir,
        durable,
        partition: partitionOf(region),
        lifetime: options.lifetime ?? "owned",
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      }),
    );
    const timing = { ...DEFAULT_TIMING, ...options.timing };
    return await open({ backend, dir, durable, region, timing, options });
  } catch (error) {
    await backend?.stop();
    if (!durable) await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

interface Opening {
  backend: Backend;
  dir: string;
  durable: boolean;
  region: string;
  timing: Timing;
  options: AwsOptions;
}

async function open({ backend, dir, durable, region, options, ...rest }: Opening): Promise<Aws> {
  let timing = rest.timing;
  await backend.control("delays", motoDelays(timing));
  const inDir = (name: string): string | undefined => (durable ? path.join(dir, name) : undefined);
  const ledger = await Ledger.open(inDir("ledger.jsonl"));
  const store = await EksStore.open(inDir("eks.json"));
  const policies = await PolicyStore.open(inDir("dlm.json"));
  const faults = new Faults();
  const clients = clientsFor(backend.endpoint, region);
  const listeners = new Set<ChangeListener>();
  const tell = async (change: Change): Promise<void> => {
    await Promise.all([...listeners].map(async (listener) => listener(change)));
  };
  const clock = new GroupClock(
    () => backend.control("tick"),
    async () => {
      await backend.control("commit");
      await tell({ service: "autoscaling", action: "Tick", text: () => undefined, list: () => [] });
    },
  );
  // What an earlier process left in the middle goes on.
  clock.wake();
  const changed = async (call: Call): Promise<void> => {
    if (!RECONCILED.includes(call.service)) return;
    clock.wake();
    await tell({
      service: call.service,
      action: call.action,
      text: (name) => text(call, name),
      list: (name) => list(call, name),
    });
  };
  const pipeline = new Pipeline({
    backend,
    context: { aws: clients, region, now: Date.now },
    refusals: REFUSALS,
    additions: [
      ...(options.additions ?? []),
      ...eksAdditions(store, () => timing),
      lifecyclePolicies(policies),
      partitionArns,
    ],
    faults,
    ledger,
    replays: await Replays.open(inDir("replays.jsonl")),
    changed,
  });
  const leftovers = async (): Promise<Leftover[]> => [
    ...(await findLeftovers(clients)),
    ...Object.keys(policies.policies).map((id) => ({ kind: "dlm lifecycle policy", id })),
  ];
  const control = controlOf({ ledger, faults, leftovers });
  const front = await listen(pipeline, control, dir, options.port);
  const scope = { account: ACCOUNT, region };
  return {
    endpoint: front.endpoint,
    region,
    account: ACCOUNT,
    environment: awsVariables({ endpoint: front.endpoint, region }),
    ledger,
    faults,
    leftovers,
    state: () => readState(clients, () => backend.control("secrets", scope)),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async setTargetHealth(targetGroupArn, target, health) {
      await backend.control("target-health", { ...scope, targetGroupArn, ...target, ...health });
    },
    async setInstanceState(instanceId, state) {
      await backend.control("instance-state", { ...scope, instanceId, state });
      await backend.control("commit");
    },
    async followMachines() {
      await backend.control("machines");
    },
    async machineEnded(instanceId) {
      await backend.control("machine-ended", { ...scope, instanceId });
      await backend.control("commit");
    },
    async setAttachmentState(volumeId, state) {
      await backend.control("attachment-state", { ...scope, volumeId, state });
      await backend.control("commit");
    },
    clients,
    setClusterEndpoint(name, endpoint, certificateAuthority) {
      Object.assign(store.cluster(name).settings, {
        endpoint,
        certificateAuthority: { data: certificateAuthority },
      });
      store.save();
    },
    async setTiming(change) {
      timing = { ...timing, ...change };
      await backend.control("delays", motoDelays(timing));
    },
    motoProcess: backend.process.identity,
    async stop() {
      await front.close();
      await clock.stop();
      clients.close();
      await backend.stop();
      if (!durable) await rm(dir, { recursive: true, force: true });
    },
  };
}

// Programs remember the address in their state (a provider's endpoints), so a restart keeps it if it can.
async function listen(
  pipeline: Pipeline,
  control: Control,
  dir: string,
  asked: number | undefined,
): Promise<HttpFrontEnd> {
  const file = path.join(dir, "port");
  const wanted = asked ?? Number((await readIfPresent(file)) ?? Number.NaN);
  const front = await HttpFrontEnd.listen(
    (raw) => pipeline.handle(raw),
    control,
    Number.isInteger(wanted) ? wanted : undefined,
  );
  await writePrivate(file, String(front.port));
  return front;
}

function controlOf(parts: { ledger: Ledger; faults: Faults; leftovers: () => Promise<Leftover[]> }): Control {
  return async (method, target, body) => {
    const url = new URL(target, "http://sandbox/");
    switch (`${method} ${url.pathname}`) {
      case "GET /ledger":
        return parts.ledger.entries(Number(url.searchParams.get("after") ?? 0));
      case "GET /leftovers":
        return parts.leftovers();
      case "GET /faults":
        return parts.faults.list();
      case "POST /faults":
        return { id: parts.faults.addUnchecked(body) };
      case "DELETE /faults":
        parts.faults.clear();
        return {};
      default:
        return undefined;
    }
  };
}
