// The processes of one control plane: started, recorded and stopped together.
import { Failure } from "../../lib/failure";
import { STOP_ORDER, type ComponentName } from "./components";
import { readIfPresent } from "../../lib/files";
import {
  isRunning,
  ProcessEndedError,
  startProcess,
  stopProcess,
  type ProcessIdentity,
  type ProcessSpec,
  type StartedProcess,
} from "../../lib/process";

const GRACE_MS = 10_000;
const BROKEN_GRACE_MS = 1_000;

/** A component that runs. */
export interface ProcessGroupMember extends ProcessIdentity {
  name: ComponentName;
  logFile: string;
}

/** Callbacks of a process group. */
export interface ProcessGroupListener {
  /** Another component was started. */
  onStart: () => void;
  /** A component ended without being stopped. */
  onEnd: (error: ProcessEndedError) => void;
}

/** The processes of one control plane while the process that started them watches them. */
export class ProcessGroup {
  readonly #members: ProcessGroupMember[] = [];
  readonly #starting = new Set<Promise<void>>();
  readonly #broken = new AbortController();
  readonly #listener: ProcessGroupListener;
  #stopping = false;

  constructor(listener: ProcessGroupListener) {
    this.#listener = listener;
  }

  /** Aborted, with the error as its reason, when a component ends without being stopped or all are stopped. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Those that were started, in that order. */
  get members(): readonly ProcessGroupMember[] {
    return this.#members;
  }

  /** Starts a component and watches it. */
  async start(name: ComponentName, spec: Omit<ProcessSpec, "name">): Promise<void> {
    this.#broken.signal.throwIfAborted();
    const starting = this.#start(name, spec);
    this.#starting.add(starting);
    try {
      await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Stops all of them in their order, also those that are only just starting, and ends all waiting for them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#broken.abort(new Failure("The control plane was stopped."));
    await Promise.allSettled(this.#starting);
    await stopInOrder(this.#members);
  }

  async #start(name: ComponentName, spec: Omit<ProcessSpec, "name">): Promise<void> {
    const started = await startProcess({ name, ...spec });
    this.#members.push({ name, logFile: spec.logFile, ...started.identity });
    this.#listener.onStart();
    void this.#watch(started);
  }

  async #watch(started: StartedProcess): Promise<void> {
    const end = await started.ended;
    if (this.#stopping) return;
    const { name, logFile } = started.spec;
    const error = new ProcessEndedError(name, end, logFile, (await readIfPresent(logFile)) ?? "");
    this.#broken.abort(error);
    this.#listener.onEnd(error);
  }
}

/** Stops components: those that use the API first, its store last. */
export async function stopInOrder(members: readonly (ProcessIdentity & { name: string })[]): Promise<void> {
  // An API server without its store waits for it to the end of any grace; nothing is left to be saved then.
  const graceMs = members.every(isRunning) ? GRACE_MS : BROKEN_GRACE_MS;
  const known = new Set<string>(STOP_ORDER.flat());
  const strangers = members.filter((member) => !known.has(member.name)).map((member) => member.name);
  for (const group of [strangers, ...STOP_ORDER]) {
    const names = new Set<string>(group);
    await Promise.all(
      members
        .filter((member) => names.has(member.name))
        .map((member) => stopProcess(member.name, member, graceMs)),
    );
  }
}
