/** Figures of a run; their names end in their unit. */
export type Figures = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** A claim: a figure of this run against its limit. */
export interface Bar {
  name: string;
  value: number;
  limit: number;
  holds: boolean;
}

/** What a benchmark gives. */
export interface Outcome {
  figures: Figures;
  bars: readonly Bar[];
}

/** One bar chart: groups of named values in one unit. */
export interface Plot {
  title: string;
  unit: string;
  values: readonly (readonly [label: string, value: number])[];
}

/** Measures one thing beside its reference, in one run on the same machine. */
export interface Benchmark {
  describes: string;
  /** `args` are what stands behind the name on the command line. */
  run(signal: AbortSignal, say: (line: string) => void, args: readonly string[]): Promise<Outcome>;
  plots(figures: Figures): readonly Plot[];
}

/** A bar that holds when the value is at most the limit. */
export function atMost(name: string, value: number, limit: number): Bar {
  return { name, value: round(value), limit, holds: value <= limit };
}

/** A bar that holds when the value is at least the limit. */
export function atLeast(name: string, value: number, limit: number): Bar {
  return { name, value: round(value), limit, holds: value >= limit };
}

/** The middle value, so that one slow round does not decide. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error("the median of nothing");
  return (upper + lower) / 2;
}

/** Three significant digits are more than these machines can repeat. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** How long `work` took, in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}
