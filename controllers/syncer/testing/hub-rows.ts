// Rows of the fault matrix in which the hub is not what it was: hub.md's H1, H2, H3, H12 and H13, each for one seed.
import path from "node:path";
import { restoreHub, snapshotHub } from "../../../sandbox/hub-backup";
import { ShareProbe } from "../../../test/harness/fleet";
import { CONFIG_MAPS, waitFor, waitForRest } from "../../../test/harness/fault-proxy";
import { SYSTEM_NAMESPACE } from "../../../api";
import { LEASES, seededRandom, type Lease } from "../../runtime";
import { NAMESPACES } from "../kinds";
import { HEARTBEAT, HUB_RECORD, REPORT_ANNOTATION } from "../names";
import { atRest, Campaign, type Fleet } from "./campaign";
import { start, within, type Row } from "./rows";

const RECORD = { namespace: SYSTEM_NAMESPACE, name: HUB_RECORD };

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Row H1: the hub's storage is returned to an older snapshot. Nothing goes in the member; what the hub forgot is reported. */
export const restored: Row = async (fleet, seed) => {
  const { hub, dir, member, shares } = fleet;
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  const running = await start(fleet);
  await within([running], async () => {
    await campaign.change(6);
    await campaign.converged();
    const before = campaign.declared;
    const file = path.join(path.dirname(dir), `${seed}-${Math.floor(random() * 1e9)}.db`);
    await snapshotHub(dir, file);
    await campaign.change(8);
    await campaign.converged();
    const after = campaign.declared;
    await hub.restart(async () => {
      await restoreHub(dir, file);
    });
    campaign.returnTo(before);
    await campaign.converged(120_000);
    const forgotten = [...after.keys()].filter((name) => !before.has(name));
    for (const name of forgotten) {
      const found = await campaign.found(name);
      must(found?.data?.value === after.get(name), `${name}, which the hub forgot, is not as it was.`);
    }
    await waitFor("what the hub forgot to be reported", async () => {
      const lease = await hub.find<Lease>(LEASES, { name: HEARTBEAT, namespace: shares.namespace });
      const report = lease?.metadata.annotations?.[REPORT_ANNOTATION] ?? "";
      return forgotten.every((name) => report.includes(`/${name}"`));
    });
    await atRest([running]);
    for (const name of forgotten)
      await member.direct.delete(CONFIG_MAPS, { name, namespace: "shop" }).catch(() => undefined);
    await campaign.end();
  });
};

/** Row H2: the address of the hub answers with fresh storage. Nothing is done, and it is said; also with nothing to do. */
export const freshStorage: Row = async (fleet, seed) => {
  const { hub, other, shares } = fleet;
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  const fresh = new ShareProbe(other, shares.cluster);
  await fresh.open().catch(() => undefined);
  await other.direct.delete(LEASES, { name: HEARTBEAT, namespace: fresh.namespace }).catch(() => undefined);
  const running = await start(fleet);
  await within([running], async () => {
    await campaign.change(8);
    await campaign.converged();
    await atRest([running]);
    const uids = JSON.stringify(await campaign.uids());
    const written = running.writes().length;
    running.hubProxy.retarget(await other.upstream());
    await waitFor("the syncer to notice", () =>
      running.syncer.problems().some((problem) => problem.includes("storage was replaced")),
    );
    await waitForRest("writes to end", () => running.writes().length, 1000 + random() * 2000);
    must(running.writes().length === written, `It wrote ${running.writes().slice(written).join(", ")}.`);
    must(JSON.stringify(await campaign.uids()) === uids, "Objects in the member are others than before.");
    const lease = await other.find(LEASES, { name: HEARTBEAT, namespace: fresh.namespace });
    must(lease === undefined, "It says to another hub that the member lives.");
    running.hubProxy.retarget(await hub.upstream());
    await campaign.change(4);
    await campaign.converged(120_000);
    await atRest([running]);
    await campaign.end();
  });
};

/** Row H3: two hubs claim one member at once. One of them has it, the other writes nothing and says whose it is. */
export const twoHubs: Row = async (fleet, seed) => {
  const { member, other, shares } = fleet;
  const random = seededRandom(seed);
  await member.direct.delete(CONFIG_MAPS, RECORD).catch(() => undefined);
  const theirs = new ShareProbe(other, shares.cluster);
  await theirs.open().catch(() => undefined);
  const fleets: readonly Fleet[] = [fleet, { ...fleet, hub: other, shares: theirs }];
  const campaigns = fleets.map((one) => new Campaign(one, random, seed));
  for (const campaign of campaigns) await campaign.change(6);
  const running = await Promise.all(
    fleets.map(async (one) => {
      await new Promise((resolve) => setTimeout(resolve, random() * 50));
      return start(one);
    }),
  );
  await within(running, async () => {
    const isOut = (index: number): boolean =>
      running[index]?.syncer.problems().some((problem) => problem.includes("belongs to the hub")) === true;
    await waitFor("one to be refused", () => isOut(0) || isOut(1));
    must(!(isOut(0) && isOut(1)), "Both were refused.");
    const [winner, loser] = isOut(1) ? ([0, 1] as const) : ([1, 0] as const);
    await campaigns[winner]?.converged();
    await atRest(running);
    const wrote = (running[loser]?.memberProxy.seen ?? []).filter(({ method }) => method !== "GET");
    // To claim it, it tries to make the record, and the namespace for it.
    const others = wrote.filter(
      ({ method, path: at }) => method !== "POST" || !/(configmaps|namespaces)$/.test(at),
    );
    must(
      others.length === 0,
      `The one that was refused wrote ${others.map(({ path: at }) => at).join(", ")}.`,
    );
    for (const name of campaigns[loser]?.names ?? [])
      must((await campaigns[loser]?.found(name)) === undefined, `${name} of the other hub is in the member.`);
    for (const campaign of campaigns) await campaign.end();
  });
  await member.direct.delete(CONFIG_MAPS, RECORD);
};

/** Row H13: the namespace of a cluster is deleted while its member is away. What is there stays, and is the same afterwards. */
export const namespaceWhileAway: Row = async (fleet, seed) => {
  const { hub, shares } = fleet;
  const random = seededRandom(seed);
  const campaign = new Campaign(fleet, random, seed);
  await campaign.begin();
  const running = await start(fleet);
  await within([running], async () => {
    await campaign.change(8);
    await campaign.converged();
    const uids = JSON.stringify(await campaign.uids());
    running.memberProxy.plan = () => ({ kind: "status", code: 503 });
    running.memberProxy.cutAll();
    const { metadata } = await hub.direct.get(NAMESPACES, { name: shares.namespace });
    await hub.direct.delete(NAMESPACES, metadata);
    await waitFor("the namespace to go", async () => (await hub.find(NAMESPACES, metadata)) === undefined);
    await shares.open();
    if (random() < 0.5) await campaign.declareAgain();
    running.memberProxy.plan = undefined;
    await campaign.declareAgain();
    await campaign.converged(120_000);
    must(JSON.stringify(await campaign.uids()) === uids, "Objects in the member are others than before.");
    await atRest([running]);
    await campaign.end();
  });
};

const CLUSTERS = 50;

/**
 * Row H12: of fifty clusters of one process, each request to one takes ten seconds. The others do not notice. One server stands for
 * all members: of each cluster, the product's own namespace there has another name.
 */
export const slowMember: Row = async (fleet, seed) => {
  const { hub, other } = fleet;
  const random = seededRandom(seed);
  const clusters = await Promise.all(
    Array.from({ length: CLUSTERS }, async (_, index) => {
      const shares = new ShareProbe(hub, `many-${index}`);
      await shares.open().catch(() => undefined);
      const one: Fleet = { ...fleet, member: other, shares };
      const running = await start(one, {
        ...(index === 0 ? { memberPlan: () => ({ kind: "delay", ms: 10_000 }) } : {}),
        memberRewrite: (text) => text.replaceAll(SYSTEM_NAMESPACE, `${SYSTEM_NAMESPACE}-${index}`),
      });
      return { running, campaign: new Campaign(one, random, seed) };
    }),
  );
  const [slow, ...others] = clusters;
  await within(
    clusters.map(({ running }) => running),
    async () => {
      await slow?.campaign.change(40);
      for (let round = 0; round < 3; round++) {
        await Promise.all(others.map(({ campaign }) => campaign.change(1)));
        await Promise.all(others.map(({ campaign }) => campaign.converged()));
      }
      if (slow !== undefined) slow.running.memberProxy.plan = undefined;
      await slow?.campaign.converged(200_000);
      await Promise.all(clusters.map(({ campaign }) => campaign.end()));
    },
  );
};

/** The rows that are quick enough for every run. */
export const HUB_ROWS: Readonly<Record<string, Row>> = {
  "H2, fresh storage behind the hub's address": freshStorage,
  "H3, two hubs claim one member": twoHubs,
  "H13, the cluster's namespace goes while the member is away": namespaceWhileAway,
};

/** Those that take longer. */
export const SLOW_ROWS: Readonly<Record<string, Row>> = {
  "H1, the hub returns to an older snapshot": restored,
  "H12, a member that takes ten seconds for each request": slowMember,
};
