import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { certifiedKey, daysFromNow, type CertifiedKey } from "../../sandbox/controlplane/certificate";
import { CONFIG_MAPS, FaultProxy, waitFor } from "../../test/harness/fault-proxy";
import { ApiClient, Informer, kubeconfigCredentials } from ".";

let plane: ControlPlane;
let dir: string;
const stop = new AbortController();
const runs: Promise<void>[] = [];
const clients: ApiClient[] = [];

beforeAll(async () => {
  plane = await startControlPlane({ components: { controllerManager: false, scheduler: false } });
  dir = await mkdtemp(join(tmpdir(), "fleetwright-rotation-"));
});

afterAll(async () => {
  stop.abort();
  await Promise.all(runs);
  for (const client of clients) client.close();
  await plane.stop();
  await rm(dir, { recursive: true, force: true });
});

async function writeKubeconfig(
  name: string,
  server: string,
  caFile: string,
  identity?: string,
): Promise<string> {
  const path = join(dir, `${name}.kubeconfig`);
  const user =
    identity === undefined
      ? {}
      : { "client-certificate": join(dir, `${identity}.crt`), "client-key": join(dir, `${identity}.key`) };
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server, "certificate-authority": caFile } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  return path;
}

// The key first: a pair that does not match for a short while must not be the end.
async function writeIdentity(name: string, { certificate, key }: CertifiedKey): Promise<void> {
  await writeFile(join(dir, `${name}.key`), key, { mode: 0o600 });
  await writeFile(join(dir, `${name}.crt`), certificate);
}

function clientOf(kubeconfig: string): ApiClient {
  const client = new ApiClient(kubeconfigCredentials(kubeconfig));
  clients.push(client);
  return client;
}

function follow(client: ApiClient): Informer<(typeof CONFIG_MAPS)["objects"] & object> {
  const informer = new Informer(client, CONFIG_MAPS, {
    namespace: "kube-system",
    backoff: { baseMs: 50, capMs: 300 },
  });
  runs.push(informer.run(stop.signal));
  return informer;
}

const serving = (notAfter: Date): Promise<CertifiedKey> =>
  certifiedKey({
    subject: { commonName: "fault-proxy" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: ["127.0.0.1"] },
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter,
  });

async function whoAmI(client: ApiClient): Promise<string> {
  const answer = await client.request<{ status: { userInfo: { username: string } } }>({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
  });
  return answer.status.userInfo.username;
}

test("row 20: a client certificate that is renewed on disk is used without a restart, and the watch loses nothing", async () => {
  await writeIdentity("client", await plane.credentialsFor("first", ["system:masters"]));
  const client = clientOf(await writeKubeconfig("client", plane.endpoint, plane.caCertificate, "client"));
  const informer = follow(client);
  await informer.synced();
  expect(await whoAmI(client)).toBe("first");
  await writeIdentity("client", await plane.credentialsFor("second", ["system:masters"]));
  await waitFor("the new identity", async () => (await whoAmI(client).catch(() => "")) === "second");
  await client.create(CONFIG_MAPS, { metadata: { namespace: "kube-system", name: "after-rotation" } });
  await waitFor(
    "an event after the rotation",
    () => informer.get("kube-system/after-rotation") !== undefined,
  );
});

test("row 20: a client certificate of a foreign CA is reported, and replacing it is enough", async () => {
  const foreign = await certifiedKey({
    subject: { commonName: "stranger" },
    usages: ["clientAuth", "digitalSignature"],
    notAfter: daysFromNow(1),
  });
  await writeIdentity("foreign", foreign);
  const client = clientOf(await writeKubeconfig("foreign", plane.endpoint, plane.caCertificate, "foreign"));
  const informer = follow(client);
  await waitFor("the refusal to be reported", () => informer.state.failure?.message.includes("401"));
  expect(informer.hasSynced).toBe(false);
  await writeIdentity("foreign", await plane.credentialsFor("known", ["system:masters"]));
  await informer.synced();
});

test("row 20: when an expired serving certificate is renewed, the cache continues without a restart", async () => {
  const upstream = await kubeconfigCredentials(plane.kubeconfig).current();
  const expired = await serving(new Date(Date.now() - 60_000));
  const renewed = await serving(daysFromNow(1));
  const first = await FaultProxy.start({ upstream, certificate: expired });
  const caFile = join(dir, "serving-ca.crt");
  await writeFile(caFile, expired.certificate + renewed.certificate);
  expect(await readFile(caFile, "utf8")).toContain("BEGIN CERTIFICATE");
  const informer = follow(clientOf(await writeKubeconfig("serving", first.url, caFile)));
  await waitFor("the expiry to be reported", () => informer.state.failure?.message.includes("has expired"));
  await first.stop();
  const second = await FaultProxy.start({
    upstream,
    certificate: renewed,
    port: Number(new URL(first.url).port),
  });
  await informer.synced();
  expect(informer.state.failure).toBeUndefined();
  await second.stop();
});
