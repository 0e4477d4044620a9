import type { Figures, Plot } from "../benchmark";
import { CONTENDERS, TITLES } from "./contenders";

/** One chart for each measure, at the largest size that was measured. */
export function plotsOf(figures: Figures): readonly Plot[] {
  const chart = (title: string, unit: string, suffix: string): Plot => {
    const sizes = Object.keys(byKey(figures[`ours${suffix}`]));
    const largest = String(Math.max(...sizes.map(Number)));
    return {
      title: `${title}, ${Number(largest).toLocaleString("en")} Secrets of 1 KB`,
      unit,
      values: CONTENDERS.map((name) => [TITLES[name], byKey(figures[`${name}${suffix}`])[largest] ?? 0]),
    };
  };
  const lag = byKey(figures.eventLagP99Milliseconds);
  return [
    chart("Time to synced", "s", "SyncSeconds"),
    chart("Heap per object", "B", "HeapBytesPerObject"),
    chart("Peak resident memory", "MB", "PeakResidentMegabytes"),
    chart("CPU to synced", "s", "SyncCpuSeconds"),
    {
      title: `Lag of ${Number(figures.updates).toLocaleString("en")} updates, 99th percentile`,
      unit: "ms",
      values: CONTENDERS.filter((name) => name in lag).map((name) => [TITLES[name], lag[name] ?? 0]),
    },
  ];
}

function byKey(figure: Figures[string] | undefined): Readonly<Record<string, number>> {
  return typeof figure === "object" ? figure : {};
}
