import { ExitCode, Failure } from "../../lib/failure";
import { MachineHost } from "../../sandbox/machines";
import { CloudFleet } from "../../test/harness/cloud-fleet";
import { atMost, type Benchmark, median, round, seconds } from "../benchmark";

const ROUNDS = 3;
/** What is timed, in its order; a round begins and ends with an empty cloud. */
const STEPS = ["start", "up", "upAgain", "refresh", "replace", "destroy"] as const;
type Step = (typeof STEPS)[number];

/** Times of the program `cloud-fleet`: three machines over three zones with volumes, behind a load balancer. */
export const cloud: Benchmark = {
  describes:
    "time of up, an up without change, a replacement and destroy of three machines on the sandbox's cloud",

  async run(signal, say) {
    const availability = MachineHost.available();
    if (!availability.ok) throw new Failure(availability.reason, ExitCode.prerequisite);
    const times = Object.fromEntries(STEPS.map((step) => [step, [] as number[]])) as Record<Step, number[]>;
    for (let turn = 0; turn <= ROUNDS; turn++) {
      signal.throwIfAborted();
      const found = await oneRound(signal);
      // The first round reads image, tools and packages from the disk; it is the warm-up.
      if (turn > 0) for (const step of STEPS) times[step].push(found[step]);
      const words = STEPS.map((step) => `${step} ${found[step].toFixed(1)} s`);
      say(`${turn === 0 ? "warm-up" : `round ${turn}`}: ${words.join(", ")}`);
    }
    const middle = (step: Step): number => round(median(times[step]));
    return {
      figures: {
        rounds: ROUNDS,
        cloudStartSeconds: middle("start"),
        upSeconds: middle("up"),
        upWithoutChangeSeconds: middle("upAgain"),
        refreshSeconds: middle("refresh"),
        replaceOneMachineSeconds: middle("replace"),
        destroySeconds: middle("destroy"),
      },
      bars: [atMost("seconds of up", median(times.up), 90)],
    };
  },

  plots(figures) {
    const value = (name: string): number => Number(figures[name]);
    return [
      {
        title: "Three machines over three zones, with volumes, behind a load balancer",
        unit: "s",
        values: [
          ["cloud ready", value("cloudStartSeconds")],
          ["up", value("upSeconds")],
          ["up without change", value("upWithoutChangeSeconds")],
          ["refresh", value("refreshSeconds")],
          ["replace one machine", value("replaceOneMachineSeconds")],
          ["destroy", value("destroySeconds")],
        ],
      },
    ];
  },
};

async function oneRound(signal: AbortSignal): Promise<Record<Step, number>> {
  let fleet: CloudFleet | undefined;
  try {
    const start = await seconds(async () => {
      fleet = await CloudFleet.open();
    });
    if (fleet === undefined) throw new Failure("The cloud did not come up.");
    const { program } = fleet;
    const timed = async (operation: "up" | "refresh" | "destroy"): Promise<number> => {
      signal.throwIfAborted();
      return seconds(() => program.changes(operation));
    };
    const up = await timed("up");
    const upAgain = await timed("up");
    const refresh = await timed("refresh");
    await program.run(["config", "set", "generation", "two"]);
    return { start, up, upAgain, refresh, replace: await timed("up"), destroy: await timed("destroy") };
  } finally {
    await fleet?.close();
  }
}
