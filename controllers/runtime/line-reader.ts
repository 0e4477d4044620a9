// Splits the body of a watch into lines, and ends a connection that has been silent for too long.
import type { Readable } from "node:stream";
import { ConnectionError } from "./api-error";
import type { Clock } from "./clock";

/** How lines are read. */
export interface LineReaderOptions {
  clock: Clock;
  /** Without a byte for this long the connection counts as dead. */
  silenceMs: number;
  signal: AbortSignal;
}

const NEWLINE = 10;

/**
 * Reads a body line by line until it ends. What comes after the last line end is half a line of a cut connection: it
 * is never handed out, the reader resumes from the line before. Rejects when the connection breaks, stays silent for
 * too long, or `onLine` throws.
 */
export function readLines(
  body: Readable,
  onLine: (line: string) => void,
  { clock, silenceMs, signal }: LineReaderOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let heldBack: Buffer[] = [];
    let lastByteAt = clock.monotonic();
    let cancel: () => void = () => {};
    let over = false;

    const finish = (error?: unknown): void => {
      if (over) return;
      over = true;
      cancel();
      signal.removeEventListener("abort", onAbort);
      body.off("data", onData);
      body.destroy();
      if (error === undefined) resolve();
      else reject(ConnectionError.from("The watch", error));
    };
    const onAbort = (): void => finish();
    const onData = (chunk: Buffer): void => {
      lastByteAt = clock.monotonic();
      try {
        let start = 0;
        for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
          let line: string;
          if (heldBack.length === 0) line = chunk.toString("utf8", start, end);
          else {
            // Joined once a line, not once a chunk: a line of megabytes comes in many chunks.
            heldBack.push(chunk.subarray(start, end));
            line = Buffer.concat(heldBack).toString("utf8");
            heldBack = [];
          }
          start = end + 1;
          if (line !== "") onLine(line);
          if (over) return;
        }
        if (start < chunk.length) heldBack.push(start === 0 ? chunk : Buffer.from(chunk.subarray(start)));
      } catch (error) {
        over = true;
        cancel();
        signal.removeEventListener("abort", onAbort);
        body.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const watchSilence = (wait: number): void => {
      cancel = clock.schedule(wait, () => {
        const left = lastByteAt + silenceMs - clock.monotonic();
        if (left > 0) watchSilence(left);
        else finish(new ConnectionError(`The watch was silent for ${silenceMs} ms.`, "ETIMEDOUT"));
      });
    };

    if (signal.aborted) {
      body.destroy();
      resolve();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    watchSilence(silenceMs);
    body.on("data", onData);
    body.once("end", () => finish());
    body.once("error", (error) => finish(error));
    body.once("close", () => finish(new ConnectionError("The watch was cut.", "ECONNRESET")));
  });
}
