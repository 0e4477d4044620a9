/** Reads what a start prints: which steps it took and how long each one did. */

/** A step that has finished. */
export interface Part {
  title: string;
  seconds: number;
}

/** The step of a line such as ` ✓ etcd 3.6.5 (1 of 8) (built)    1m05s`; undefined for any other line. */
export function parsePart(line: string): Part | undefined {
  const [, title, time] = /^ ✓ (.+?) +((?:\d+m)?\d+(?:\.\d+)? ?s)$/.exec(line.trimEnd()) ?? [];
  if (title === undefined || time === undefined) return undefined;
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?([\d.]+) ?s$/.exec(time) ?? [];
  return {
    // What stands in parentheses counts the step or says how it was made.
    title: title.replace(/( \([^)]*\))+$/, ""),
    seconds: Number(minutes) * 60 + Number(seconds),
  };
}

/** How many nodes are ready, of how many, in the closing screen; undefined if no line says so. */
export function parseNodes(output: string): { ready: number; all: number } | undefined {
  const [, ready, all] = /^\s*nodes\s+(\d+) of (\d+)/m.exec(output) ?? [];
  return ready === undefined || all === undefined ? undefined : { ready: Number(ready), all: Number(all) };
}

/** Processor time of the whole machine since it booted, in seconds. */
export interface ProcessorTime {
  busy: number;
  idle: number;
}

const TICKS_PER_SECOND = 100;

/** Reads the first line of `/proc/stat`. Waiting for the disk is idle time; guests' time is part of user time. */
export function parseProcessorTime(stat: string): ProcessorTime {
  const ticks = (stat.split("\n")[0] ?? "").split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, softInterrupts = 0] = ticks;
  return {
    busy: (user + nice + system + interrupts + softInterrupts) / TICKS_PER_SECOND,
    idle: (idle + wait) / TICKS_PER_SECOND,
  };
}
