import type { CoordinatorFixture, Running, StartOptions } from "./fixture";

/** A change that a coordinator has to carry out. */
export interface Change {
  /** Makes the change. */
  arrange: () => Promise<void>;
  /** Waits until the cluster has the declared shape. */
  converged: (running: Running) => Promise<void>;
  /** Brings the cluster back to where it was. */
  restore: (running: Running) => Promise<void>;
}

/**
 * Lets a coordinator die before its first write, then, after a new start and a restored cluster, before its second, and
 * so on until it gets through alive. After each death a new one must bring the cluster to the declared shape. Gives how
 * many deaths there were.
 */
export async function crashAtEveryWrite(
  fixture: CoordinatorFixture,
  options: StartOptions,
  { arrange, converged, restore }: Change,
  most = 60,
): Promise<number> {
  for (let write = 1; write <= most; write++) {
    await arrange();
    let died: () => void = () => {};
    const death = new Promise<"died">((resolve) => (died = () => resolve("died")));
    const first = await fixture.start({
      ...options,
      failpoint: {
        write,
        die: () => {
          died();
          throw new Error("died at the failpoint");
        },
      },
    });
    const outcome = await Promise.race([death, converged(first).then(() => "alive" as const)]);
    await first.stop();
    const second = await fixture.start(options);
    await converged(second).catch((error: unknown) => {
      throw new Error(`After a death before write ${write} the next one did not get there: ${String(error)}`);
    });
    await restore(second);
    await second.stop();
    if (outcome === "alive") return write - 1;
  }
  throw new Error(`It still dies before write ${most}.`);
}
