import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  openFaultProxyFixture,
  waitFor,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { Informer, Logger, systemClock } from ".";

let fixture: FaultProxyFixture;
const stop = new AbortController();

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});
afterAll(() => fixture.close());

test("after a quiet time without trouble the next outage begins with a short wait", async () => {
  let skipped = 0;
  const waits: number[] = [];
  const write = (line: string): void => {
    const { waitMs } = JSON.parse(line) as { waitMs?: number };
    if (waitMs !== undefined) waits.push(waitMs);
  };
  let failures = 6;
  const proxy = await fixture.proxy(({ query }) =>
    query.has("watch") && failures-- > 0 ? { kind: "status", code: 500 } : undefined,
  );
  const clock = { ...systemClock, monotonic: () => performance.now() + skipped };
  const informer = new Informer(fixture.through(proxy, { clock, maxRetries: 0 }), CONFIG_MAPS, {
    namespace: fixture.namespace,
    labelSelector: "nothing=here",
    log: new Logger({ write }),
    backoff: { baseMs: 10, capMs: 60_000 },
    random: () => 1,
  });
  const run = informer.run(stop.signal);
  await informer.synced();
  await waitFor("the watch to stand", () => waits.length === 6 && informer.state.failure === undefined);
  expect(waits).toEqual([10, 20, 40, 80, 160, 320]);
  skipped = 10_000;
  failures = 1;
  proxy.cutAll();
  await waitFor("the watch to be missed", () => waits.length === 7);
  expect(waits[6]).toBe(10);
  stop.abort();
  await run;
});
