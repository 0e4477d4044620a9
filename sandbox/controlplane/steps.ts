/** One step of a start, told when it begins and again when it is done. */
export interface Step {
  name: string;
  state: "started" | "finished" | "failed";
  /** Time since the step began. */
  elapsedMs: number;
}

/** Hears about steps. */
export type StepListener = (step: Step) => void;

/** Runs one step and tells the listener. */
export async function inStep<T>(
  listener: StepListener | undefined,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const tell = (state: Step["state"]): void => {
    listener?.({ name, state, elapsedMs: Math.round(performance.now() - began) });
  };
  tell("started");
  try {
    const result = await work();
    tell("finished");
    return result;
  } catch (error) {
    tell("failed");
    throw error;
  }
}
