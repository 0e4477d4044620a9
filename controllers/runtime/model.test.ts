import { sharedKubeconfig } from "../../test/controlplane";
import {
  CONFIG_MAPS,
  type FaultProxy,
  makeWorld,
  randomFaults,
  SECRETS,
  waitFor,
  type World,
} from "../../test/fault-proxy";
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

const SEEDS = 50;
const TOGETHER = 10;
const WRITES = 45;
const FAULTS = 5;
const NAMES = 6;

let world: World;
let kinds: Resource[];

beforeAll(async () => {
  world = await makeWorld(sharedKubeconfig());
  kinds = [CONFIG_MAPS, SECRETS, await world.widgets()];
});

afterAll(async () => {
  await world.close();
});

/** What a listener was told about one resource, checked as it comes. */
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
          `${key}: told it was ${before?.metadata.resourceVersion ?? "nothing"}, but had been told ${known ?? "nothing"}`,
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
  const ref = { namespace: world.namespace, name };
  const dice = random();
  try {
    if (dice < 0.4)
      await world.direct.create(resource, { metadata: { ...ref, labels: { seed: `s${seed}` } } });
    else if (dice < 0.8) {
      const annotations = { value: "ä".repeat(Math.floor(random() * 400)) };
      await world.direct.patch(resource, ref, { metadata: { annotations } });
    } else await world.direct.delete(resource, ref);
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
}

async function serverState(resource: Resource, seed: number): Promise<Map<string, string>> {
  const { items } = await world.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: `${resource.group === "" ? "/api" : `/apis/${resource.group}`}/v1/namespaces/${world.namespace}/${resource.plural}`,
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
async function runSeed(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const proxy = await world.proxy(randomFaults(seededRandom(seed * 7919), 0.5));
  const client = world.through(proxy, { timeoutMs: 1500 });
  const stop = new AbortController();
  const watched = kinds.map((resource) => {
    const informer = new Informer(client, resource, {
      namespace: world.namespace,
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
    // A seed under which little went wrong would prove little: a fast machine writes until enough did.
    for (let count = 0; count < WRITES || (faultsOf(proxy) < FAULTS && count < 40 * WRITES); count++) {
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
    return faultsOf(proxy);
  } catch (error) {
    throw new Error(`Seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    stop.abort();
    await Promise.all(watched.map(({ run }) => run));
    client.close();
    await proxy.stop();
  }
}

for (let first = 1; first <= SEEDS; first += TOGETHER) {
  const seeds = Array.from({ length: TOGETHER }, (_, index) => first + index);
  test(`under random faults the cache ends up as the server is, and says nothing out of order: seeds ${first} to ${first + TOGETHER - 1}`, async () => {
    const faults = await Promise.all(seeds.map(runSeed));
    expect(Math.min(...faults)).toBeGreaterThanOrEqual(FAULTS);
  });
}
