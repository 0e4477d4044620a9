// moto as a process: started, stopped, asked over HTTP.
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { numberAt, parseJson, textAt } from "../../lib/json";
import { LOOPBACK } from "../controlplane/network";
import { freePort } from "../../lib/port";
import {
  ProcessEndedError,
  startProcess,
  stopProcess,
  type Lifetime,
  type StartedProcess,
} from "../../lib/process";
import { Failure } from "../../lib/failure";
import { readIfPresent, writePrivateSync } from "../../lib/files";
import { MOTO_FOLDER } from "./environment";

/** An HTTP request to moto, as bytes. */
export interface RawRequest {
  method: string;
  /** Path with query. */
  target: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** An HTTP answer, as bytes. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** How moto is started. */
export interface BackendOptions {
  python: string;
  /** Where the log and, if `durable`, the snapshot lie. */
  dir: string;
  /** Whether what moto knows outlives its process. */
  durable: boolean;
  /** The part of AWS whose own policies there are, such as "aws". */
  partition: string;
  lifetime: Lifetime;
  signal?: AbortSignal;
}

/** Who serves a state directory. */
const RECORD = "moto.json";
const START_TIMEOUT_MS = 60_000;
/** Somebody else can take a port between its choice and moto's start. */
const START_ATTEMPTS = 3;

/** A running moto: AWS's API, and a control API that only the HTTP front end uses. */
export class Backend {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  private constructor(
    readonly process: StartedProcess,
    readonly port: number,
  ) {}

  get endpoint(): string {
    return `http://${LOOPBACK}:${this.port}`;
  }

  /** Starts moto and waits until it answers. */
  static async start(options: BackendOptions): Promise<Backend> {
    await endPredecessor(options.dir);
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const backend = new Backend(await startProcess(specification(options, port)), port);
      writePrivateSync(path.join(options.dir, RECORD), JSON.stringify(backend.process.identity));
      try {
        await backend.#ready(options.signal);
        return backend;
      } catch (error) {
        await backend.stop();
        const lost = error instanceof ProcessEndedError && /address already in use/i.test(error.log);
        if (!lost || attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  /** Sends a request to moto's AWS API. */
  send(raw: RawRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const headers: RawRequest["headers"] = { ...raw.headers, "content-length": String(raw.body.length) };
      delete headers["transfer-encoding"];
      delete headers.expect;
      delete headers.connection;
      const outgoing = request(
        {
          host: LOOPBACK,
          port: this.port,
          agent: this.#agent,
          method: raw.method,
          path: raw.target,
          headers,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.once("error", reject);
          incoming.once("end", () =>
            resolve({
              status: incoming.statusCode ?? 500,
              headers: incoming.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      outgoing.once("error", reject);
      outgoing.end(raw.body);
    });
  }

  /** Calls moto's control API. */
  async control(name: string, body: Record<string, unknown> = {}): Promise<unknown> {
    const answer = await this.send({
      method: "POST",
      target: `/_fleetwright/${name}`,
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(body)),
    });
    if (answer.status !== 200) {
      throw new Failure(
        `moto refused "${name}" with status ${answer.status}. Its log is ${this.process.spec.logFile}.`,
      );
    }
    return parseJson(answer.body.toString());
  }

  /** Ends moto. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    // Nothing is lost without a farewell: what was answered is on disk.
    await stopProcess("moto", this.process.identity, 2_000);
  }

  async #ready(signal: AbortSignal | undefined): Promise<void> {
    let over = false;
    const ended = this.process.ended.then(async (end) => {
      if (over) return;
      const { logFile } = this.process.spec;
      throw new ProcessEndedError("moto", end, logFile, (await readIfPresent(logFile)) ?? "");
    });
    const answers = waitFor(
      `moto to answer on port ${this.port} (log: ${this.process.spec.logFile})`,
      async () => {
        await this.control("delays");
        return true;
      },
      { timeoutMs: START_TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) },
    );
    try {
      await Promise.race([answers, ended]);
    } finally {
      over = true;
      answers.catch(() => {});
    }
  }
}

// A detached moto outlives an owner that was killed; its state is on disk, and two must not write it.
async function endPredecessor(dir: string): Promise<void> {
  const found = parseJson((await readIfPresent(path.join(dir, RECORD))) ?? "");
  const [pid, started] = [numberAt(found, "pid"), textAt(found, "started")];
  if (pid !== undefined && started !== undefined) await stopProcess("moto", { pid, started }, 0);
}

function specification(options: BackendOptions, port: number): Parameters<typeof startProcess>[0] {
  const snapshot = options.durable ? ["--snapshot", path.join(options.dir, "moto.snapshot")] : [];
  return {
    name: "moto",
    command: options.python,
    args: [
      path.join(MOTO_FOLDER, "server.py"),
      "--port",
      String(port),
      "--partition",
      options.partition,
      ...snapshot,
    ],
    env: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      HOME: options.dir,
      PYTHONDONTWRITEBYTECODE: "1",
      MOTO_AMIS_PATH: path.join(MOTO_FOLDER, "images.json"),
      MOTO_IAM_LOAD_MANAGED_POLICIES: "true",
      MOTO_ENABLE_AMI_VALIDATION: "true",
      MOTO_ENABLE_KEYPAIR_VALIDATION: "true",
      MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: "true",
    },
    logFile: path.join(options.dir, "moto.log"),
    lifetime: options.lifetime,
  };
}
