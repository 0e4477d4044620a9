import { constants } from "node:os";
import type { Client } from "ssh2";
import type { Context } from "../shell/context";
import { address, type Connection, endpoint } from "./connection";
import { withMachine } from "./dial";
import { remoteScript, type Variables } from "./environment";
import { failure, Output } from "./output";

/** A command for another machine. */
export interface RemoteRun {
  readonly connection: Connection;
  readonly script: string;
  readonly stdin: string | undefined;
  readonly environment: Variables;
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
  const ended = await withMachine(context, run.connection, (client) => {
    const { command, preamble, mark } = remoteScript(run.script, run.environment);
    return new Promise<string | undefined>((resolve, reject) => {
      client.exec(command, (error, channel) => {
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
        channel.end(`${preamble}${run.stdin ?? ""}`);
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
