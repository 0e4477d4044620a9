/** How a long piece of work tells a person what it is doing: one line a step, with its time. */
export interface Progress {
  /** Runs `work` as one step. `update` changes the text behind the step's title while it runs. */
  step<T>(title: string, work: (update: (detail: string) => void) => Promise<T>): Promise<T>;
  /** Prints a line that is no step. */
  note(line: string): void;
}

/** The part of a terminal or file that progress needs. */
export interface ProgressStream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

const TICK_MS = 1_000;
/** Without a terminal a step that lasts says so now and then, so that a log shows that it is alive. */
const HEARTBEAT_MS = 30_000;
const QUIET_MS = 2_000;

/** `1.2 s`, `42 s`, `3m05s`. */
export function elapsed(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, "0")}s`;
}

/** Progress on a terminal (one line rewritten in place) or in a log (a line when something is worth it). */
export function streamProgress(stream: ProgressStream): Progress {
  const tty = stream.isTTY === true;
  const rewrite = (text: string): void => {
    stream.write(`\r\u001b[2K${text.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
  };
  return {
    async step(title, work) {
      const start = Date.now();
      let detail = "";
      let lastLine = start;
      let announced = false;
      const running = (): string => `${title}${detail === "" ? "" : `: ${detail}`}`;
      const tick = (): void => {
        const now = Date.now();
        if (tty) {
          rewrite(` • ${running()} … ${elapsed(now - start)}`);
        } else if (!announced && now - start >= QUIET_MS) {
          announced = true;
          stream.write(` • ${running()} …\n`);
        } else if (now - lastLine >= HEARTBEAT_MS) {
          lastLine = now;
          stream.write(` • ${running()} … ${elapsed(now - start)}\n`);
        }
      };
      if (tty) tick();
      const timer = setInterval(tick, TICK_MS);
      const finish = (mark: string): void => {
        clearInterval(timer);
        const line = ` ${mark} ${title}${mark === "✓" && detail !== "" ? ` (${detail})` : ""}`;
        if (tty) rewrite("");
        stream.write(`${line.padEnd(64)} ${elapsed(Date.now() - start)}\n`);
      };
      try {
        const result = await work((text) => {
          detail = text;
        });
        finish("✓");
        return result;
      } catch (error) {
        finish("✗");
        throw error;
      }
    },
    note(line) {
      stream.write(`${line}\n`);
    },
  };
}

/** Progress for callers that have nobody to tell. */
export const silentProgress: Progress = {
  step: (_title, work) => work(() => {}),
  note: () => {},
};
