import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  openFaultProxyFixture,
  SECRETS,
  waitFor,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { Controller, Informer } from ".";

let fixture: FaultProxyFixture;
const stop = new AbortController();

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});
afterAll(() => fixture.close());

test("what is made and deleted within a gap of the watch is made again", async () => {
  const { direct, namespace } = fixture;
  const proxy = await fixture.proxy();
  const client = fixture.through(proxy);
  const options = { namespace, backoff: { baseMs: 10, capMs: 100 } };
  const parents = new Informer(client, SECRETS, { ...options, fieldSelector: "metadata.name=one" });
  const children = new Informer(client, CONFIG_MAPS, { ...options, fieldSelector: "metadata.name=one" });
  const child = { namespace, name: "one" };
  let isGap = true;
  let deleted: () => void = () => {};
  const afterwards = new Promise<void>((resolve) => (deleted = resolve));
  const controller = new Controller({
    name: "children",
    reconcile: async () => {
      if (children.get(`${namespace}/one`) !== undefined) return undefined;
      if (isGap) {
        // The watch ends and cannot be resumed, and the new list comes after all that happens here.
        proxy.plan = ({ path, query }) => {
          if (!path.endsWith("/configmaps")) return undefined;
          return query.has("watch") ? { kind: "status", code: 410 } : { kind: "hold", until: afterwards };
        };
        proxy.cutAll();
        await waitFor("the new list", () => proxy.seen.some(({ fault }) => fault?.kind === "hold"));
      }
      await direct.create(CONFIG_MAPS, { metadata: child });
      if (!isGap) return undefined;
      isGap = false;
      await direct.delete(CONFIG_MAPS, child);
      proxy.plan = ({ path, query }) =>
        path.endsWith("/configmaps") && !query.has("watch") ? { kind: "hold", until: afterwards } : undefined;
      deleted();
      return undefined;
    },
  })
    .watches(parents)
    .watches(children);
  const runs = [parents, children, controller].map((one) => one.run(stop.signal));
  await direct.create(SECRETS, { metadata: child });
  await waitFor("the child", () => children.get(`${namespace}/one`) !== undefined, 20_000);
  stop.abort();
  await Promise.all(runs);
});
