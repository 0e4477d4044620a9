// What becomes of work that is under way when this process loses the lease and leads again later.
import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  fixed,
  openFaultProxyFixture,
  waitFor,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { Logger, Manager } from ".";

let fixture: FaultProxyFixture;

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});

afterAll(async () => {
  await fixture.close();
});

test("a loop by requeueAfter goes on after leadership was lost in mid-reconcile and won back", async () => {
  const { namespace } = fixture;
  const proxy = await fixture.proxy();
  const lines: string[] = [];
  const manager = new Manager({
    credentials: fixed(proxy.url, fixture.authority),
    log: new Logger({ write: (line) => lines.push(line) }),
    serve: false,
    leaderElection: {
      namespace,
      name: "loop",
      identity: "one",
      leaseMs: 3000,
      renewDeadlineMs: 2000,
      retryMs: 300,
    },
  });
  const metadata = { namespace, name: "looked-at" };
  await fixture.direct.create(CONFIG_MAPS, { metadata });
  let ended = 0;
  let underWay = 0;
  const controller = manager.controller({
    name: "looker",
    reconcile: async (_key, { signal }) => {
      underWay += 1;
      await manager.reader.get(CONFIG_MAPS, metadata, signal).finally(() => (underWay -= 1));
      ended += 1;
      return { requeueAfterMs: 100 };
    },
  });
  const end = new AbortController();
  const run = manager.run(end.signal);
  // Once, and never again by anybody else: from here on the loop lives by itself.
  controller.queue.add("loop");
  await waitFor("the loop to run", () => ended >= 3);

  let answer: () => void = () => {};
  const until = new Promise<void>((resolve) => (answer = resolve));
  proxy.plan = ({ query }) => (query.has("watch") ? undefined : { kind: "hold", until });
  await waitFor("a reconcile to hang", () => underWay === 1);
  await waitFor("the lease to be lost", () => lines.some((line) => line.includes("leads no longer")), 20_000);
  await waitFor("the reconcile to be stopped", () => underWay === 0);
  const before = ended;
  proxy.plan = undefined;
  answer();
  await waitFor("it to lead again", () => manager.election?.isLeading, 20_000);
  await waitFor("the loop to run again", () => ended >= before + 3);
  end.abort();
  await run;
});
