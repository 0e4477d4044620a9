// Rows of the fault matrix, each for one seed on a hub and a member that several seeds share.
import { startSyncer, type RunningSyncer } from "../../../test/harness/fleet";
import { randomFaults, waitFor, type FaultPlan } from "../../../test/harness/fault-proxy";
import { seededRandom } from "../../runtime";
import { atRest, Campaign, type Fleet } from "./campaign";

/** One fault, for one seed. */
export type Row = (fleet: Fleet, seed: number) => Promise<void>;

/** Starts a syncer between the hub and the member of a fleet. */
export const start = (
  { hub, member, shares }: Fleet,
  plans: Pick<Parameters<typeof startSyncer>[0], "hubPlan" | "memberPlan" | "memberRewrite"> = {},
): Promise<RunningSyncer> => startSyncer({ cluster: shares.cluster, hub, member, ...plans });

/** Does the work while syncers run, then stops them; a failure says what they logged. */
export async function within(running: readonly RunningSyncer[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const said = running.flatMap(({ lines }) =>
      lines.filter((line) => /"level":"(warn|error)"/.test(line)).slice(-5),
    );
    throw new Error(`${String(error)}\n${said.join("\n")}`, { cause: error });
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
}

/** Row 21: hub and member are parted from the syncer, one or both, silently or with cut connections. */
export const partition: Row = async (fleet, seed) => {
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  let isParted = false;
  let heal: () => void = () => {};
  const healed = new Promise<void>((resolve) => (heal = resolve));
  const side = Math.floor(random() * 3);
  const isSilent = random() < 0.5;
  const plan: FaultPlan = () =>
    !isParted ? undefined : isSilent ? { kind: "hold", until: healed } : { kind: "status", code: 503 };
  const running = await start(fleet, {
    ...(side === 1 ? {} : { memberPlan: plan }),
    ...(side === 0 ? {} : { hubPlan: plan }),
  });
  await within([running], async () => {
    await campaign.change(6);
    await campaign.converged();
    isParted = true;
    running.hubProxy.cutAll();
    running.memberProxy.cutAll();
    await campaign.change(6);
    await new Promise((resolve) => setTimeout(resolve, 500 + random() * 2500));
    isParted = false;
    heal();
    running.hubProxy.cutAll();
    running.memberProxy.cutAll();
    await campaign.converged(120_000);
    await atRest([running]);
    await campaign.end();
  });
};

/** Rows 5 to 8 of the runtime's, on both sides at once: a third of the answers is broken. */
export const brokenAnswers: Row = async (fleet, seed) => {
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  const running = await start(fleet, {
    hubPlan: randomFaults(random, 0.3),
    memberPlan: randomFaults(random, 0.3),
  });
  await within([running], async () => {
    await campaign.change(12);
    running.hubProxy.plan = undefined;
    running.memberProxy.plan = undefined;
    running.hubProxy.cutAll();
    running.memberProxy.cutAll();
    await campaign.converged(120_000);
    await atRest([running]);
    await campaign.end();
  });
};

/** Row 14: two syncers of one cluster at once, as after a pause of the one that is thought dead. */
export const twoSyncers: Row = async (fleet, seed) => {
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  const running = [await start(fleet), await start(fleet)];
  await within(running, async () => {
    await campaign.change(12);
    await campaign.converged();
    await atRest(running);
    await campaign.end();
  });
};

/** Row 25: people delete and change in the member what came from the hub, and have objects of the same names. */
export const meddling: Row = async (fleet, seed) => {
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  const running = await start(fleet);
  await within([running], async () => {
    await campaign.change(8);
    await campaign.converged();
    // One change each: who insists is left alone for a while.
    await campaign.meddle(3);
    await campaign.converged(200_000);
    await atRest([running]);
    await campaign.end();
  });
};

/** Killed and started again in the middle of its work, several times; at last it writes nothing more. */
export const restarts: Row = async (fleet, seed) => {
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  let running = await start(fleet);
  for (let count = 0; count < 3; count++) {
    await campaign.change(5);
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    // Nothing that it still sends arrives.
    running.hubProxy.plan = () => ({ kind: "status", code: 503 });
    running.memberProxy.plan = () => ({ kind: "status", code: 503 });
    await running.stop();
    running = await start(fleet);
  }
  await within([running], async () => {
    await campaign.converged();
    await atRest([running]);
    const last = await start(fleet);
    await within([last], async () => {
      await waitFor("it to be whole", () => last.syncer.problems().length === 0);
      await atRest([last]);
      if (last.writes().length > 0) throw new Error(`After a restart it wrote ${last.writes().join(", ")}.`);
      await campaign.end();
    });
  });
};

/** The rows by what they are called in reports. */
export const ROWS: Readonly<Record<string, Row>> = {
  "21, a partition": partition,
  "5 to 8, broken answers on both sides": brokenAnswers,
  "14, two syncers at once": twoSyncers,
  "25, meddling in the member": meddling,
  "12, restarts in the middle": restarts,
};
