/**
 * How every command shows what it is doing: one line a step, with its time. Steps may run side by side. On a terminal the
 * lines of running steps are rewritten in place; in a log a line is written whenever nothing else was for a while.
 */
export interface Progress {
  /** Runs `work` as one step. `update` changes the text behind the step's title while it runs. */
  step<T>(title: string, work: (update: (detail: string) => void) => Promise<T>): Promise<T>;
  /** Prints a line that is not a step. */
  note(line: string): void;
}

/** The part of a terminal or file that progress needs. */
export interface ProgressStream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

const TICK_MS = 1_000;
/** A log is never silent for longer than this while a step runs (and one tick more). */
const HEARTBEAT_MS = 8_000;
/** A step that is done sooner needs no line that says it has begun. */
const QUIET_MS = 2_000;
/** More running steps than this are counted, not listed. */
const MAX_LIVE_LINES = 8;

/** `1.2 s`, `42 s`, `3m05s`. */
export function elapsed(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, "0")}s`;
}

/** Progress for people: on a terminal, or in a log. */
export function streamProgress(stream: ProgressStream): Progress {
  const steps = new RunningSteps();
  const display = stream.isTTY === true ? new Terminal(stream, steps) : new Log(stream, steps);
  let timer: NodeJS.Timeout | undefined;
  return {
    async step(title, work) {
      const step = steps.add(title);
      timer ??= setInterval(() => display.tick(), TICK_MS);
      display.begin();
      const finish = (mark: "✓" | "✗"): void => {
        steps.remove(step);
        if (steps.all.length === 0) {
          clearInterval(timer);
          timer = undefined;
        }
        const detail = mark === "✓" && step.detail !== "" ? ` (${step.detail})` : "";
        display.print(`${` ${mark} ${title}${detail}`.padEnd(64)} ${elapsed(Date.now() - step.began)}`);
      };
      try {
        const result = await work((detail) => {
          step.detail = detail;
        });
        finish("✓");
        return result;
      } catch (error) {
        finish("✗");
        throw error;
      }
    },
    note: (line) => display.print(line),
  };
}

/** Progress as plain lines, for the log of a process that nobody watches. */
export function lineProgress(write: (line: string) => void): Progress {
  return {
    async step(title, work) {
      const began = Date.now();
      const result = await work((detail) => write(`${title}: ${detail}`));
      write(`${title} (${elapsed(Date.now() - began)})`);
      return result;
    },
    note: write,
  };
}

/**
 * The same progress with its steps numbered "n of `total`", in the order in which they begin. Where several parts of the
 * work count their own steps, this counts them together.
 */
export function countSteps(progress: Progress, total: number): Progress {
  let count = 0;
  return {
    step: (title, work) => {
      count += 1;
      return progress.step(`${title.replace(/ \(\d+ of \d+\)$/, "")} (${count} of ${total})`, work);
    },
    note: (line) => progress.note(line),
  };
}

/** Progress for callers whose work nobody watches. */
export const silentProgress: Progress = {
  step: (_title, work) => work(() => {}),
  note: () => {},
};

interface RunningStep {
  title: string;
  detail: string;
  began: number;
  /** Whether a log has a line about it. */
  announced: boolean;
}

class RunningSteps {
  readonly #steps = new Set<RunningStep>();

  get all(): readonly RunningStep[] {
    return [...this.#steps];
  }

  add(title: string): RunningStep {
    const step = { title, detail: "", began: Date.now(), announced: false };
    this.#steps.add(step);
    return step;
  }

  remove(step: RunningStep): void {
    this.#steps.delete(step);
  }
}

function describe({ title, detail }: RunningStep): string {
  return `${title}${detail === "" ? "" : `: ${detail}`} …`;
}

interface Display {
  begin(): void;
  tick(): void;
  print(line: string): void;
}

/** Rewrites the lines of the running steps in place, below everything that was printed. */
class Terminal implements Display {
  #lines = 0;

  constructor(
    private readonly stream: ProgressStream,
    private readonly steps: RunningSteps,
  ) {}

  begin(): void {
    this.tick();
  }

  tick(): void {
    this.stream.write(`${this.#erase()}${this.#draw()}`);
  }

  print(line: string): void {
    this.stream.write(`${this.#erase()}${line}\n${this.#draw()}`);
  }

  #erase(): string {
    const text = this.#lines === 0 ? "" : `\r\u001b[2K${"\u001b[1A\u001b[2K".repeat(this.#lines - 1)}`;
    this.#lines = 0;
    return text;
  }

  #draw(): string {
    const { all } = this.steps;
    const width = Math.max(20, (this.stream.columns ?? 80) - 1);
    const lines = all
      .slice(0, MAX_LIVE_LINES)
      .map((step) => ` • ${describe(step)} ${elapsed(Date.now() - step.began)}`);
    if (all.length > MAX_LIVE_LINES) lines.push(` • and ${all.length - MAX_LIVE_LINES} more …`);
    this.#lines = lines.length;
    return lines.map((line) => line.slice(0, width)).join("\n");
  }
}

/** Writes a line when a step has lasted a while, when one ends, and when nothing was written for a while. */
class Log implements Display {
  #lastLine = Date.now();

  constructor(
    private readonly stream: ProgressStream,
    private readonly steps: RunningSteps,
  ) {}

  begin(): void {
    // What was silent before the first step was not this step.
    if (this.steps.all.length === 1) this.#lastLine = Date.now();
  }

  tick(): void {
    const now = Date.now();
    const lasting = this.steps.all.filter((step) => !step.announced && now - step.began >= QUIET_MS);
    for (const step of lasting) {
      step.announced = true;
      this.print(` • ${describe(step)}`);
    }
    if (now - this.#lastLine < HEARTBEAT_MS) return;
    this.print(
      ` • ${this.steps.all.map((step) => `${describe(step)} ${elapsed(now - step.began)}`).join("; ")}`,
    );
  }

  print(line: string): void {
    this.#lastLine = Date.now();
    this.stream.write(`${line}\n`);
  }
}
