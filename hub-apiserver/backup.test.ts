import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ApiClient as Client, Informer, kubeconfigCredentials, Metrics } from "../controllers/runtime";
import { waitFor } from "../lib/deadline";
import { textAt } from "../lib/json";
import { startControlPlane, type ControlPlane } from "../sandbox/controlplane";
import { ApiClient } from "../sandbox/controlplane/api";
import { restoreHub, snapshotHub } from "../sandbox/hub-backup";
import { CONFIG_MAPS } from "../test/harness/fault-proxy";

const maps = "/api/v1/namespaces/default/configmaps";
const soon = { timeoutMs: 120_000 };
const stop = new AbortController();
let scratch: string;
let hub: ControlPlane | undefined;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "fleetwright-hub-backup-"));
});

afterAll(async () => {
  stop.abort();
  await hub?.stop();
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
});

test("a snapshot is returned to, twice, and whoever watched before the first sees what is there now", async () => {
  const dir = path.join(scratch, "hub");
  const file = path.join(scratch, "snapshots", "hub.db");
  hub = await startHub(dir);
  let admin = await adminOf(hub);
  await admin.create(maps, { metadata: { name: "kept" }, data: { value: "of the snapshot" } });
  const identity = textAt(await admin.get("/api/v1/namespaces/kube-system"), "metadata", "uid");
  await snapshotHub(dir, file);
  expect((await stat(file)).mode & 0o077).toBe(0);
  await expect(snapshotHub(dir, file)).rejects.toThrow(/exists: a snapshot overwrites nothing/);

  await admin.apply(`${maps}/kept`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kept" },
    data: { value: "newer" },
  });
  const lost = await admin.create(maps, { metadata: { name: "lost" } });
  const seen = Number(textAt(lost, "metadata", "resourceVersion"));
  const watcher = new Client(kubeconfigCredentials(hub.kubeconfig), {
    metrics: new Metrics(),
    timeoutMs: 3000,
  });
  const informer = new Informer(watcher, CONFIG_MAPS, {
    namespace: "default",
    backoff: { baseMs: 200, capMs: 2000 },
  });
  const running = informer.run(stop.signal);
  await informer.synced();
  expect(informer.get("default/kept")?.data?.value).toBe("newer");
  await expect(restoreHub(dir, file)).rejects.toThrow(/runs: stop it before its data is replaced/);

  const revisions: number[] = [seen];
  for (const round of [1, 2]) {
    admin.close();
    await hub.stop();
    const { before } = await restoreHub(dir, file);
    expect(await stat(path.join(before ?? "", "member"))).toBeDefined();
    hub = await startHub(dir);
    admin = await adminOf(hub);
    expect(textAt(await admin.get(`${maps}/kept`), "data", "value")).toBe("of the snapshot");
    expect((await admin.send("GET", `${maps}/lost`)).status).toBe(404);
    // It is the same hub, by which members know it.
    expect(textAt(await admin.get("/api/v1/namespaces/kube-system"), "metadata", "uid")).toBe(identity);

    const added = await admin.create(maps, { metadata: { name: `after-${round}` } });
    revisions.push(Number(textAt(added, "metadata", "resourceVersion")));
    const { body } = await admin.send("GET", `${maps}?watch=1&timeoutSeconds=5&resourceVersion=${seen}`);
    expect(body).toMatch(/"code":410/);
    await waitFor(
      "the watcher to see what is there now",
      () =>
        informer.get("default/kept")?.data?.value === "of the snapshot" &&
        informer.get("default/lost") === undefined &&
        informer.get(`default/after-${round}`) !== undefined,
      soon,
    );
  }
  // No version is given out a second time for something else.
  expect([...revisions].sort((a, b) => a - b)).toEqual(revisions);
  stop.abort();
  await running;
  admin.close();
});

function startHub(dir: string): Promise<ControlPlane> {
  return startControlPlane({ server: "hub-apiserver", dir });
}

async function adminOf(hub: ControlPlane): Promise<ApiClient> {
  return new ApiClient({
    endpoint: hub.endpoint,
    authority: await readFile(hub.caCertificate, "utf8"),
    client: await hub.credentialsFor("admin", ["fleetwright:cluster-admins"]),
  });
}
