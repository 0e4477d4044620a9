import {
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { Informer } from "../../runtime";
import { REGISTRIES } from "../kinds";
import { NAMESPACES, SECRETS } from "../native-resources";

const COUNT = 1000;
let fixture: CoordinatorFixture;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
}, 240_000);
afterAll(() => fixture.close());

test("a thousand namespaces get their pull secret, a new one within a second, and at rest nothing is written for a minute", async () => {
  const names = Array.from({ length: COUNT }, (_, index) => `many-${index}`);
  for (let from = 0; from < COUNT; from += 20)
    await Promise.all(
      names.slice(from, from + 20).map((name) => fixture.direct.create(NAMESPACES, { metadata: { name } })),
    );
  await fixture.direct.create(SECRETS, {
    metadata: { namespace: fixture.home, name: "login" },
    data: { username: "YQ==", password: "Yg==" },
  });
  await fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/registries",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "Registry",
      metadata: { name: "main" },
      spec: { provider: "basic", endpoint: "r.example.com", credentials: { name: "login" } },
    },
  });
  const started = performance.now();
  const running = await fixture.start({
    controllers: "service-accounts,registries",
    flags: ["--qps=2000", "--burst=2000"],
  });
  await waitFor(
    "all to be ready",
    async () =>
      (await fixture.direct.get(REGISTRIES, { name: "main" })).status?.conditions?.some(
        ({ type, status }) => type === "Ready" && status === "True",
      ),
    180_000,
  );
  const spread = performance.now() - started;
  await quiet(running, 2000, 120_000);
  // One account, one secret and one entry each, a few statuses, the finalizer and the original.
  const perNamespace =
    running.writes().filter((write) => write.includes("/namespaces/")).length / (COUNT + 5);
  expect(perNamespace).toBeLessThan(3.1);

  const seen = new Map<string, number>();
  const observer = new Informer(fixture.direct, SECRETS, {
    labelSelector: "fleetwright.dev/controller=registries",
  });
  observer.onChange(({ after }) => {
    if (after !== undefined) seen.set(after.metadata.namespace ?? "", performance.now());
  });
  const end = new AbortController();
  const run = observer.run(end.signal);
  await observer.synced();
  const waits: number[] = [];
  for (let index = 0; index < 100; index++) {
    const name = `late-${index}`;
    await fixture.direct.create(NAMESPACES, { metadata: { name } });
    const from = performance.now();
    await waitFor(`the secret in ${name}`, () => seen.has(name));
    waits.push((seen.get(name) ?? 0) - from);
  }
  end.abort();
  await run;
  waits.sort((a, b) => a - b);
  console.log(
    JSON.stringify({
      spreadSeconds: spread / 1000,
      newNamespaceP50Ms: waits[50],
      newNamespaceP99Ms: waits[98],
    }),
  );
  expect(waits[98]).toBeLessThan(5000);
  await quiet(running, 2000);
  expect(await writesWithin(running, 60_000)).toEqual([]);
}, 600_000);
