import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  openFaultProxyFixture,
  waitFor,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import {
  ApiClient,
  Informer,
  kubeconfigCredentials,
  LeaderElection,
  LEASES,
  NotLeaderError,
  systemClock,
  type Clock,
  type LeaderElectionOptions,
} from ".";

let fixture: FaultProxyFixture;
const clients: ApiClient[] = [];

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});

afterAll(async () => {
  for (const client of clients) client.close();
  await fixture.close();
});

function candidate(
  name: string,
  identity: string,
  options: Partial<LeaderElectionOptions> & { clock?: Clock; client?: ApiClient } = {},
): {
  election: LeaderElection;
  client: ApiClient;
  reigns: () => number;
  stop: () => Promise<void>;
} {
  const { clock, client: given, ...rest } = options;
  const client =
    given ?? new ApiClient(kubeconfigCredentials(sharedKubeconfig()), clock === undefined ? {} : { clock });
  clients.push(client);
  // Long, so that a busy machine does not cost anybody the lease.
  const times = { leaseMs: 60_000, renewDeadlineMs: 40_000, retryMs: 300 };
  const election = new LeaderElection(client, {
    namespace: fixture.namespace,
    name,
    identity,
    ...times,
    ...rest,
  });
  const end = new AbortController();
  let reigns = 0;
  const run = election.run(end.signal, async (signal) => {
    reigns += 1;
    await new Promise<void>((over) => signal.addEventListener("abort", () => over(), { once: true }));
  });
  return {
    election,
    client: client.guardedBy(() => election.assertLeading()),
    reigns: () => reigns,
    stop: () => {
      end.abort();
      return run;
    },
  };
}

test("one of two leads; when it stops it releases the lease and the other takes it at once", async () => {
  const a = candidate("handover", "a");
  await waitFor("a to lead", () => a.election.isLeading);
  const b = candidate("handover", "b");
  await waitFor("b to know the leader", () => b.election.leader === "a");
  expect(b.election.isLeading).toBe(false);
  await a.stop();
  expect(a.election.isLeading).toBe(false);
  await waitFor("b to lead long before the lease would have expired", () => b.election.isLeading, 30_000);
  const lease = await fixture.direct.get(LEASES, { namespace: fixture.namespace, name: "handover" });
  expect(lease.spec?.leaseTransitions).toBe(1);
  await b.stop();
});

test("row 8: a renewal whose reply was lost does not cost the leadership", async () => {
  const proxy = await fixture.proxy();
  const a = candidate("dropped", "a", { client: fixture.through(proxy, { maxRetries: 0 }) });
  await waitFor("a to lead", () => a.election.isLeading);
  let drops = 0;
  proxy.plan = ({ method }) => (method === "PUT" && drops++ === 0 ? { kind: "dropReply" } : undefined);
  await waitFor("renewals after the drop", () => drops > 4);
  expect(a.election.isLeading).toBe(true);
  expect(a.reigns()).toBe(1);
  await a.stop();
});

test("row 11: a leader that was frozen beyond its lease does not write any more when it wakes", async () => {
  const { namespace } = fixture;
  await fixture.direct.create(CONFIG_MAPS, { metadata: { namespace, name: "written" }, data: {} });
  const observer = new Informer(fixture.direct, CONFIG_MAPS, {
    namespace,
    fieldSelector: "metadata.name=written",
  });
  const writers: string[] = [];
  observer.onChange(({ after }) => {
    const { writer } = after?.data ?? {};
    if (writer !== undefined && writers.at(-1) !== writer) writers.push(writer);
  });
  const watching = new AbortController();
  const run = observer.run(watching.signal);
  const child = spawn(
    process.execPath,
    [
      "--require",
      "tsx/cjs",
      resolve("test/harness/fault-proxy/leader.ts"),
      sharedKubeconfig(),
      namespace,
      "frozen",
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  try {
    await waitFor("the process to write", () => writers.includes("frozen"), 50_000);
    child.kill("SIGUSR2");
    await waitFor("the process to freeze", () =>
      readFileSync(`/proc/${child.pid ?? 0}/stat`, "utf8")
        .replace(/\(.*\)/, "")
        .includes(" T "),
    );
    const b = candidate("leader", "successor");
    await waitFor("the successor to lead", () => b.election.isLeading);
    await b.client.patch(CONFIG_MAPS, { namespace, name: "written" }, { data: { writer: "successor" } });
    await waitFor("its write to be seen", () => writers.at(-1) === "successor");
    child.kill("SIGCONT");
    await waitFor("the frozen one to be refused by its own guard", () =>
      said.includes("refused NotLeaderError"),
    );
    await b.client.patch(
      CONFIG_MAPS,
      { namespace, name: "written" },
      { data: { writer: "successor", again: "yes" } },
    );
    await waitFor(
      "the last write to be seen",
      () => observer.get(`${namespace}/written`)?.data?.again === "yes",
    );
    expect(writers).toEqual(["frozen", "successor"]);
    await b.stop();
  } finally {
    child.kill("SIGKILL");
    watching.abort();
    await run;
  }
});

test("a leader that cannot reach the server steps down before its lease runs out", async () => {
  const proxy = await fixture.proxy();
  const client = fixture.through(proxy, { maxRetries: 0 });
  const a = candidate("unreachable", "a", { client, renewDeadlineMs: 5000 });
  await waitFor("a to lead", () => a.election.isLeading);
  const reigns = a.reigns();
  proxy.plan = () => ({ kind: "status", code: 503 });
  await waitFor("a to step down long before the lease expires", () => !a.election.isLeading, 30_000);
  expect(() => a.election.assertLeading()).toThrow(NotLeaderError);
  proxy.plan = undefined;
  await waitFor("a to lead again", () => a.election.isLeading && a.reigns() > reigns);
  await a.stop();
});

test("row 29: a candidate whose wall clock is an hour off neither takes the lease from a living leader nor loses its own", async () => {
  const lease = { leaseMs: 10_000, renewDeadlineMs: 9000 };
  await Promise.all(
    [3_600_000, -3_600_000].map(async (skew) => {
      const skewed: Clock = { ...systemClock, now: () => Date.now() + skew };
      const name = `skew-${skew > 0 ? "ahead" : "behind"}`;
      const a = candidate(name, "a", lease);
      await waitFor("a to lead", () => a.election.isLeading);
      const b = candidate(name, "b", { ...lease, clock: skewed });
      await waitFor("b to see the leader", () => b.election.leader === "a");
      const end = performance.now() + lease.leaseMs + 1000;
      await waitFor("b to have waited longer than a lease", () => {
        expect([a.election.isLeading, b.election.isLeading]).toEqual([true, false]);
        return performance.now() > end;
      });
      expect(a.reigns()).toBe(1);
      await a.stop();
      await waitFor("b to lead in its turn", () => b.election.isLeading);
      await b.stop();
    }),
  );
});

test("times with which two could lead at once are refused", () => {
  const make = (): unknown =>
    new LeaderElection(fixture.direct, {
      namespace: "x",
      name: "x",
      identity: "x",
      leaseMs: 3000,
      renewDeadlineMs: 3000,
    });
  expect(make).toThrow("two could lead at once");
});
