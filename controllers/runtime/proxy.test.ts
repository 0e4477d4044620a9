// A kubeconfig with a proxy-url, as that of a cluster behind a bastion has one: every kind of request goes by the proxy.
import { KubeConfig } from "@kubernetes/client-node";
import { sharedKubeconfig } from "../../test/harness/controlplane";
import { CONFIG_MAPS, NAMESPACES, waitFor } from "../../test/harness/fault-proxy";
import { ApiClient, credentialsOf, Informer } from ".";
import { freePort } from "../../lib/port";
import { ForwardProxy } from "./testing/forward-proxy";

const LOGIN = "jane:a b";
let proxy: ForwardProxy;
let urls: { socks: string; http: string };
/** An address at which nobody listens: only by the proxy one comes to the API server. */
let server: string;

beforeAll(async () => {
  const real = new KubeConfig();
  real.loadFromFile(sharedKubeconfig());
  const { hostname, port } = new URL(real.getCurrentCluster()?.server ?? "");
  proxy = new ForwardProxy({ host: hostname, port: Number(port) }, LOGIN);
  urls = await proxy.listen();
  server = `https://${hostname}:${await freePort()}`;
});
afterAll(() => proxy.close());

function clientBy(proxyUrl: string | undefined): ApiClient {
  const config = new KubeConfig();
  config.loadFromFile(sharedKubeconfig());
  config.clusters = config.clusters.map((cluster) => ({
    ...cluster,
    server,
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  }));
  return new ApiClient(credentialsOf(config), { rateLimit: false });
}

test("without its proxy the address is reached by nobody", async () => {
  await expect(clientBy(undefined).get(NAMESPACES, { name: "default" })).rejects.toThrow(/nobody listens/);
});

describe.each<[string, () => string]>([
  ["socks5", () => urls.socks],
  ["http, with a login", () => urls.http.replace("//", "//jane:a%20b@")],
])("by %s", (_protocol, url) => {
  test("requests and watches come to the API server, which is asked for by the address of the kubeconfig", async () => {
    const client = clientBy(url());
    const stop = new AbortController();
    const before = proxy.asked.length;
    const name = `proxied-${Date.now().toString(36)}`;
    const ref = { namespace: "default", name };
    const informer = new Informer(client, CONFIG_MAPS, {
      namespace: "default",
      fieldSelector: `metadata.name=${name}`,
    });
    const run = informer.run(stop.signal);
    try {
      await informer.synced();
      await client.create(CONFIG_MAPS, { metadata: ref });
      await waitFor("the watch to say so", () => informer.size === 1);
    } finally {
      stop.abort();
      await run;
      await client.delete(CONFIG_MAPS, ref);
      client.close();
    }
    const asked = proxy.asked.slice(before);
    // One connection for requests and one for watches, at least.
    expect(asked.length).toBeGreaterThanOrEqual(2);
    expect(new Set(asked)).toEqual(new Set([new URL(server).host]));
  });
});

test.each<[string, () => string | Promise<string>, RegExp]>([
  [
    "a proxy that is not there",
    async () => `socks5://127.0.0.1:${await freePort()}`,
    /Connecting to 127\.0\.0\.1:\d+ by the proxy-url socks5:\/\/127\.0\.0\.1:\d+ failed: .*ECONNREFUSED/,
  ],
  ["a proxy that wants a login", () => urls.http, /by the proxy-url http:.* failed: it answered 407/],
  [
    "a login in the address, which is not shown",
    () => urls.http.replace("//", "//jane:secret@"),
    /by the proxy-url http:\/\/127\.0\.0\.1:\d+ failed: it answered 407/,
  ],
  ["a proxy of another kind", () => "ftp://127.0.0.1:21", /it has to be socks5, http or https/],
])("%s is an error that names the proxy", async (_what, url, message) => {
  const client = clientBy(await url());
  await expect(client.get(NAMESPACES, { name: "default" })).rejects.toThrow(message);
  client.close();
});
