import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  type FaultProxy,
  openFaultProxyFixture,
  randomFaults,
  SECRETS,
  waitFor,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { repeatable, testSeeds } from "../../test/harness/seed";
import {
  compareVersions,
  Informer,
  isAlreadyExists,
  isNotFound,
  seededRandom,
  type KubernetesObject,
  type Random,
  type Resource,
} from ".";

const SEEDS = testSeeds(50);
const CONCURRENCY = 10;
const WRITES = 45;
const FAULTS = 5;
const NAMES = 6;

let fixture: FaultProxyFixture;
let kinds: Resource[];

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
  kinds = [CONFIG_MAPS, SECRETS, await fixture.widgets()];
});

afterAll(async () => {
  await fixture.close();
});

/** What a listener was notified of for one resource, checked as it comes. */
class History {
  readonly state = new Map<string, string>();
  readonly problems: string[] = [];
  readonly #newest = new Map<string, string>();
  changes = 0;

  constructor(informer: Informer<KubernetesObject>) {
    informer.onChange(({ key, before, after }) => {
      this.changes += 1;
      const known = this.state.get(key);
      if (before?.metadata.resourceVersion !== known) {
        this.problems.push(
          `${key}: notified that it was ${before?.metadata.resourceVersion ?? "nothing"}, but known as ${known ?? "nothing"}`,
        );
      }
      const version = after?.metadata.resourceVersion;
      const newest = this.#newest.get(key);
      if (version === undefined) this.state.delete(key);
      else {
        if (newest !== undefined && compareVersions(version, newest) <= 0) {
          this.problems.push(`${key}: ${version} came after ${newest}`);
        }
        this.state.set(key, version);
        this.#newest.set(key, version);
      }
    });
  }
}

async function write(random: Random, seed: number): Promise<void> {
  const resource = kinds[Math.floor(random() * kinds.length)] ?? CONFIG_MAPS;
  const name = `seed-${seed}-${Math.floor(random() * NAMES)}`;
  const ref = { namespace: fixture.namespace, name };
  const dice = random();
  try {
    if (dice < 0.4)
      await fixture.direct.create(resource, { metadata: { ...ref, labels: { seed: `s${seed}` } } });
    else if (dice < 0.8) {
      const annotations = { value: "ä".repeat(Math.floor(random() * 400)) };
      await fixture.direct.patch(resource, ref, { metadata: { annotations } });
    } else await fixture.direct.delete(resource, ref);
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
}

async function serverState(resource: Resource, seed: number): Promise<Map<string, string>> {
  const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: `${resource.group === "" ? "/api" : `/apis/${resource.group}`}/v1/namespaces/${fixture.namespace}/${resource.plural}`,
    query: { labelSelector: `seed=s${seed}` },
  });
  return new Map(
    items.map(({ metadata }) => [
      `${metadata.namespace ?? ""}/${metadata.name}`,
      metadata.resourceVersion ?? "",
    ]),
  );
}

const sorted = (map: ReadonlyMap<string, string>): [string, string][] => [...map].sort();

const faultsOf = (proxy: FaultProxy): number => proxy.seen.filter(({ fault }) => fault !== undefined).length;

// An unhandled rejection needs no check: jest listens for them and fails the test that runs, or the file if none does.
// (A listener of a test would hear nothing: its `process` is a copy.) Seen by leaving a rejection alone on purpose.
async function runSeed(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const proxy = await fixture.proxy(randomFaults(seededRandom(seed * 7919), 0.5));
  const client = fixture.through(proxy, { timeoutMs: 1500 });
  const stop = new AbortController();
  const watched = kinds.map((resource) => {
    const informer = new Informer(client, resource, {
      namespace: fixture.namespace,
      labelSelector: `seed=s${seed}`,
      pageSize: 2,
      streamingLists: seed % 2 === 0,
      silenceMs: 800,
      watchSeconds: 1 + Math.floor(random() * 3),
      backoff: { baseMs: 10, capMs: 80 },
      random: seededRandom(seed + 1),
    });
    return { resource, informer, history: new History(informer), run: informer.run(stop.signal) };
  });
  try {
    // A seed under which little went wrong would prove little: writes go on until enough requests met a fault.
    for (let count = 0; count < WRITES || faultsOf(proxy) < FAULTS; count++) {
      await write(random, seed);
      // A cut makes requests, and requests meet faults; without them a quiet watch would go on and on.
      if (count % 15 === 14) proxy.cutAll();
    }
    proxy.plan = undefined;
    for (const { resource, informer, history } of watched) {
      const server = sorted(await serverState(resource, seed));
      await waitFor(`the cache of ${resource.plural} to be what the server has`, () => {
        return informer.hasSynced && JSON.stringify(sorted(history.state)) === JSON.stringify(server);
      });
      const cached = informer
        .list()
        .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion ?? ""}`);
      expect(cached.sort()).toEqual(
        server.map(([key, version]) => `${key.slice(key.indexOf("/") + 1)} ${version}`).sort(),
      );
      expect(history.problems).toEqual([]);
    }
  } finally {
    stop.abort();
    await Promise.all(watched.map(({ run }) => run));
    client.close();
    await proxy.stop();
  }
}

for (let from = 0; from < SEEDS.length; from += CONCURRENCY) {
  const seeds = SEEDS.slice(from, from + CONCURRENCY);
  test(`under random faults the cache ends up as the server is, and notifies in order: seeds ${seeds.join(", ")}`, async () => {
    await Promise.all(seeds.map((seed) => repeatable(seed, __filename, () => runSeed(seed))));
  });
}
