import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makePrivateDirectories, readIfPresent, writePrivate } from "../files";
import { inStep, type StepListener } from "../controlplane/steps";
import type { Lifetime } from "../process";
import type { Progress } from "../progress";
import { Backend } from "./backend";
import type { Call } from "./call";
import { ACCOUNT, clientsFor, CREDENTIALS } from "./clients";
import { eksAdditions, EksStore } from "./eks";
import { ensureMoto } from "./environment";
import { Faults } from "./faults";
import { Front, type Control } from "./front";
import { findLeftovers, type Leftover } from "./leftovers";
import { Ledger } from "./ledger";
import { Pipeline } from "./pipeline";
import { instanceRefreshes } from "./refreshes";
import { REFUSALS } from "./refusals/catalogue";
import { readState, type CloudState } from "./state";
import { DEFAULT_TIMING, motoDelays, type Timing } from "./timing";

/** How the AWS API is started. */
export interface AwsOptions {
  /** Where its state is kept over restarts. Without it the state ends with this process. */
  dir?: string;
  /** Whether moto ends with this process, even if that one is killed. @default "owned" */
  lifetime?: Lifetime;
  /** Ends the start. */
  signal?: AbortSignal;
  /** Hears about the steps of the start. */
  onStep?: StepListener;
  /** Hears about the installation of moto, the first time. */
  progress?: Progress;
  /** How long things take. */
  timing?: Partial<Timing>;
  /** The region that `state` and `leftovers` look at. @default "eu-central-1" */
  region?: string;
}

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
  onChange: (listener: (call: { service: string; action: string }) => void) => () => void;
  /** Says what a check of a target found; DescribeTargetHealth answers it from then on. */
  setTargetHealth: (
    targetGroupArn: string,
    target: { id: string; port?: number },
    health: TargetHealth,
  ) => Promise<void>;
  /** Says that a machine ended, or came back, by itself. */
  setInstanceState: (instanceId: string, state: "running" | "stopped") => Promise<void>;
  /** Lets an EKS cluster answer with the address and authority of a control plane that really runs. */
  setClusterEndpoint: (name: string, endpoint: string, certificateAuthority: string) => void;
  setTiming: (timing: Partial<Timing>) => Promise<void>;
  /** The process of moto, for those who want to see it end. */
  motoProcess: { pid: number };
  stop: () => Promise<void>;
}

const RECONCILED = ["ec2", "elasticloadbalancing", "autoscaling"];

/** Starts moto as a child and the front in this process. */
export async function startAws(options: AwsOptions = {}): Promise<Aws> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), "fleetwright-aws-")));
  const durable = options.dir !== undefined;
  const region = options.region ?? "eu-central-1";
  await makePrivateDirectories([dir]);
  const python = await inStep(options.onStep, "moto's environment", () =>
    ensureMoto(options.progress === undefined ? {} : { progress: options.progress }),
  );
  let backend: Backend | undefined;
  try {
    backend = await inStep(options.onStep, "moto", () =>
      Backend.start({
        python,
        dir,
        durable,
        lifetime: options.lifetime ?? "owned",
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      }),
    );
    return await open({ backend, dir, durable, region, timing: { ...DEFAULT_TIMING, ...options.timing } });
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
}

async function open({ backend, dir, durable, region, ...rest }: Opening): Promise<Aws> {
  let timing = rest.timing;
  await backend.door("delays", motoDelays(timing));
  const inDir = (name: string): string | undefined => (durable ? path.join(dir, name) : undefined);
  const ledger = await Ledger.open(inDir("ledger.jsonl"));
  const store = await EksStore.open(inDir("eks.json"));
  const faults = new Faults();
  const clients = clientsFor(backend.endpoint, region);
  const listeners = new Set<(call: { service: string; action: string }) => void>();
  const changed = ({ service, action }: Pick<Call, "service" | "action">): void => {
    if (RECONCILED.includes(service)) for (const listener of listeners) listener({ service, action });
  };
  const pipeline = new Pipeline({
    backend,
    context: { aws: clients, region, now: Date.now },
    refusals: REFUSALS,
    additions: [...eksAdditions(store, () => timing), instanceRefreshes()],
    faults,
    ledger,
    changed,
  });
  const leftovers = (): Promise<Leftover[]> => findLeftovers(clients);
  const front = await listen(pipeline, controlOf({ ledger, faults, leftovers }), dir);
  const scope = { account: ACCOUNT, region };
  return {
    endpoint: front.endpoint,
    region,
    account: ACCOUNT,
    environment: environmentOf(front.endpoint, region),
    ledger,
    faults,
    leftovers,
    state: async () => readState(clients, await backend.door("secrets", scope)),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async setTargetHealth(targetGroupArn, target, health) {
      await backend.door("target-health", { ...scope, targetGroupArn, ...target, ...health });
    },
    async setInstanceState(instanceId, state) {
      await backend.door("instance-state", { ...scope, instanceId, state });
      await backend.door("commit");
      changed({ service: "ec2", action: "sandbox:InstanceState" });
    },
    setClusterEndpoint(name, endpoint, certificateAuthority) {
      Object.assign(store.cluster(name).settings, {
        endpoint,
        certificateAuthority: { data: certificateAuthority },
      });
      store.save();
    },
    async setTiming(change) {
      timing = { ...timing, ...change };
      await backend.door("delays", motoDelays(timing));
    },
    motoProcess: backend.process.identity,
    async stop() {
      await front.close();
      clients.close();
      await backend.stop();
      if (!durable) await rm(dir, { recursive: true, force: true });
    },
  };
}

// Programs remember the address in their state (a provider's endpoints), so a restart keeps it if it can.
async function listen(pipeline: Pipeline, control: Control, dir: string): Promise<Front> {
  const file = path.join(dir, "port");
  const wanted = Number((await readIfPresent(file)) ?? Number.NaN);
  const front = await Front.listen(
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

function environmentOf(endpoint: string, region: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_S3_US_EAST_1_REGIONAL_ENDPOINT: "regional",
  };
}
