// Log lines in JSON, with secrets removed.
import { systemClock, type Clock } from "./clock";
import { errorCode, errorMessage } from "../../lib/failure";

/** How much a line matters. */
export type Level = "debug" | "info" | "warn" | "error";

/** What a line says besides its message. */
export type Fields = Readonly<Record<string, unknown>>;

const RANK: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const SECRET = /authorization|token|password|secret$|privatekey|credential/i;

/** Where a logger writes and what it leaves out. */
export interface LogOptions {
  /** @default "info" */
  level?: Level;
  /** Takes one line without its line end. @default writes to standard output */
  write?: (line: string) => void;
  clock?: Clock;
}

/** Structured logs: one JSON object a line. */
export class Logger {
  readonly #level: Level;
  readonly #write: (line: string) => void;
  readonly #clock: Clock;
  readonly #fields: Fields;

  constructor(options: LogOptions = {}, fields: Fields = {}) {
    this.#level = options.level ?? "info";
    this.#write = options.write ?? toStandardOutput;
    this.#clock = options.clock ?? systemClock;
    this.#fields = fields;
  }

  /** A logger whose lines carry these fields too. */
  with(fields: Fields): Logger {
    const options = { level: this.#level, write: this.#write, clock: this.#clock };
    return new Logger(options, { ...this.#fields, ...fields });
  }

  debug(message: string, fields?: Fields): void {
    this.#log("debug", message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#log("info", message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#log("warn", message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#log("error", message, fields);
  }

  #log(level: Level, message: string, fields: Fields = {}): void {
    if (RANK[level] < RANK[this.#level]) return;
    const time = new Date(this.#clock.now()).toISOString();
    this.#write(JSON.stringify({ time, level, message, ...this.#fields, ...fields }, printable()));
  }
}

let heedsErrors = false;

// A disk that is full or a reader that is gone costs lines, never the process: neither may throw, now or later.
function toStandardOutput(line: string): void {
  if (!heedsErrors) process.stdout.on("error", () => {});
  heedsErrors = true;
  try {
    process.stdout.write(`${line}\n`);
  } catch {
    // There is nowhere left to report it.
  }
}

/** A logger that says nothing. */
export const silentLogger = new Logger({ level: "error", write: () => {} });

// A log line must never be the thing that fails, nor the place where a secret shows.
function printable(): (key: string, value: unknown) => unknown {
  const seen = new WeakSet();
  return (key, value) => {
    if (SECRET.test(key) && typeof value === "string") return "[redacted]";
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    if (key === "error") return { message: errorMessage(value), code: errorCode(value) };
    if (seen.has(value)) return "[seen above]";
    seen.add(value);
    return value;
  };
}
