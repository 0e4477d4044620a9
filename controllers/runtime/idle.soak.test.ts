import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  fixed,
  openFaultProxyFixture,
  SECRETS,
  waitFor,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { Logger, Manager } from ".";

const QUIET_SECONDS = 90;

let fixture: FaultProxyFixture;

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});

afterAll(async () => {
  await fixture.close();
});

test(
  `a controller at rest makes no request but its watches and its lease, for ${QUIET_SECONDS} s`,
  async () => {
    const { namespace } = fixture;
    const proxy = await fixture.proxy();
    const manager = new Manager({
      credentials: fixed(proxy.url, fixture.authority),
      log: new Logger({ write: () => {} }),
      serve: false,
      // Watches end and begin anew several times while we look.
      cache: { watchSeconds: 15 },
      leaderElection: { namespace, name: "idle", identity: "one" },
    });
    const maps = manager.cache.informer(CONFIG_MAPS, { namespace });
    const secrets = manager.cache.informer(SECRETS, { namespace });
    let reconciles = 0;
    const reconcile = async (): Promise<undefined> => {
      reconciles += 1;
      return undefined;
    };
    manager.controller({ name: "idle", reconcile }).watches(maps).watches(secrets);
    await fixture.direct.create(CONFIG_MAPS, { metadata: { namespace, name: "only" } });
    const end = new AbortController();
    const run = manager.run(end.signal);
    // What was made here, and the authority's certificate that every namespace gets.
    await waitFor("the first reconciles", () => reconciles === 2);
    const from = proxy.seen.length;
    const until = performance.now() + QUIET_SECONDS * 1000;
    await waitFor("a quiet time", () => performance.now() > until, QUIET_SECONDS * 1000 + 5000);
    const seen = proxy.seen.slice(from);
    const others = seen.filter(({ path, query }) => !path.includes("/leases/") && !query.has("watch"));
    expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    const watches = seen.filter(({ query }) => query.has("watch"));
    expect(watches.some(({ query }) => query.has("sendInitialEvents"))).toBe(false);
    // Two watches of 15 to 30 s each; the lease is renewed every 2 s by default.
    expect(watches.length).toBeGreaterThanOrEqual(4);
    expect(watches.length).toBeLessThanOrEqual(14);
    expect(seen.length - watches.length).toBeGreaterThan(10);
    expect(reconciles).toBe(2);
    end.abort();
    await run;
  },
  (QUIET_SECONDS + 60) * 1000,
);
