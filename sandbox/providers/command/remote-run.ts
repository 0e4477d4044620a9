import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { Client } from "ssh2";
import type { Context } from "../shell/context";
import { address, type Connection, endpoint } from "./connection";
import { withMachine } from "./dial";
import { acceptedProbe, notAccepted, remoteScript, type Variables } from "./environment";
import { failure, Output } from "./output";

/** A command for another machine. */
export interface RemoteRun {
  readonly connection: Connection;
  readonly script: string;
  readonly stdin: string | undefined;
  /** Without one of these it does not run. */
  readonly environment: Variables;
  /** What the last run said, as far as the server takes it. */
  readonly previous: Variables;
  readonly logging: string | undefined;
}

const GRACE_MS = 2000;

/** Runs a command on another machine to its end; fails unless it ends with 0. */
export async function runRemotely(
  context: Context,
  run: RemoteRun,
): Promise<{ stdout: string; stderr: string }> {
  const where = address(endpoint(run.connection));
  const output = new Output(run.logging, context.log.status);
  const ended = await withMachine(context, run.connection, async (client) => {
    const env = await takenBy(client, context, run);
    const { command, mark } = remoteScript(run.script);
    return new Promise<string | undefined>((resolve, reject) => {
      client.exec(command, { env }, (error, channel) => {
        if (error !== undefined) {
          reject(new Error(`${where} does not run commands: ${error.message}`, { cause: error }));
          return;
        }
        const stderr = new MarkedStream(mark, (bytes) => output.add("stderr", bytes));
        const release = endWith(context.signal, client, () => stderr.processId);
        let how: string | undefined = "wait: remote command exited without exit status or exit signal";
        channel.on("data", (bytes: Buffer) => output.add("stdout", bytes));
        channel.stderr.on("data", (bytes: Buffer) => stderr.take(bytes));
        channel.on("exit", (code: number | null, signal?: string) => {
          how = code === 0 ? undefined : exitMessage(code, signal);
        });
        channel.on("close", () => {
          release();
          stderr.end();
          resolve(how);
        });
        // A command may end without reading its input.
        channel.on("error", () => {});
        channel.end(run.stdin ?? "");
      });
    });
  });
  output.end();
  context.signal.throwIfAborted();
  if (ended !== undefined) {
    throw new Error(failure(ended, run.script, output));
  }
  return { stdout: output.text("stdout"), stderr: output.text("stderr") };
}

/** The variables that the server takes; fails if one of the program's own is not among them. */
async function takenBy(
  client: Client,
  context: Context,
  { environment, previous }: Pick<RemoteRun, "environment" | "previous">,
): Promise<Record<string, string>> {
  const wanted = { ...environment, ...previous };
  const names = Object.keys(wanted);
  if (names.length === 0) return {};
  const chance = randomBytes(16).toString("hex");
  const answer = await said(
    client,
    acceptedProbe(names, chance),
    Object.fromEntries(names.map((name) => [name, chance])),
  );
  const taken = new Set(answer.split("\n"));
  for (const name of names.filter((own) => !taken.has(own))) {
    const { log, error } = notAccepted(name);
    if (name in environment) {
      context.log.error(log);
      throw new Error(error);
    }
    context.log.warning(log);
  }
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => taken.has(name)));
}

function said(client: Client, command: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, { env }, (error, channel) => {
      if (error !== undefined) {
        reject(error);
        return;
      }
      let text = "";
      channel.on("data", (bytes: Buffer) => (text += bytes.toString()));
      channel.stderr.resume();
      channel.on("error", () => {});
      channel.on("close", () => resolve(text));
      channel.end();
    });
  });
}

/** How a command ended, as Go's SSH library says it. A signal counts as 128 and its number. */
function exitMessage(code: number | null, signal: string | undefined): string {
  if (code !== null) return `Process exited with status ${code}`;
  const name = (signal ?? "").replace(/^SIG/, "");
  const number = constants.signals[`SIG${name}` as NodeJS.Signals] as number | undefined;
  return `Process exited with status ${128 + (number ?? 0)} from signal ${name}`;
}

/** Takes the first line, with the mark and the process id, out of a stream. */
class MarkedStream {
  processId: number | undefined;
  private head: Buffer | undefined = Buffer.alloc(0);

  constructor(
    private readonly mark: string,
    private readonly pass: (bytes: Buffer) => void,
  ) {}

  take(bytes: Buffer): void {
    if (this.head === undefined) {
      this.pass(bytes);
      return;
    }
    this.head = Buffer.concat([this.head, bytes]);
    const end = this.head.indexOf("\n");
    if (end >= 0) this.open(this.head, end);
  }

  end(): void {
    if (this.head !== undefined) this.open(this.head, -1);
  }

  private open(head: Buffer, end: number): void {
    const [mark, id] = head.subarray(0, Math.max(end, 0)).toString().split(" ");
    const marked = mark === this.mark;
    if (marked) this.processId = Number(id);
    const rest = marked ? head.subarray(end + 1) : head;
    this.head = undefined;
    if (rest.length > 0) this.pass(rest);
  }
}

/** Ends the remote process group when the signal comes: politely, then not, then by hanging up. */
function endWith(signal: AbortSignal, client: Client, processId: () => number | undefined): () => void {
  let later: NodeJS.Timeout | undefined;
  const kill = (name: string): void => {
    const id = processId();
    if (id !== undefined)
      client.exec(`kill -${name} -- -${id}`, (_, channel) => channel.resume().stderr.resume());
  };
  const end = (): void => {
    kill("TERM");
    later = setTimeout(() => {
      kill("KILL");
      later = setTimeout(() => client.destroy(), GRACE_MS);
    }, GRACE_MS);
  };
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  return () => {
    clearTimeout(later);
    signal.removeEventListener("abort", end);
  };
}
