import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { CONFIG_MAPS, waitFor, type DataObject } from "../../test/fault-proxy";
import { ApiClient, Informer, kubeconfigCredentials, Metrics } from ".";

// These kill the server, so it is their own.
let plane: ControlPlane;
let writer: ApiClient;
const stop = new AbortController();
const runs: Promise<void>[] = [];
const clients: ApiClient[] = [];

class Component {
  readonly #command: string[];
  readonly #cwd: string;
  #pid: number;
  #child: ChildProcess | undefined;

  constructor(pid: number) {
    this.#pid = pid;
    this.#command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
    this.#cwd = readlinkSync(`/proc/${pid}/cwd`);
  }

  flag(name: string): string {
    return this.#command.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.#pid, name);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await waitFor("the process to be gone", () => {
      try {
        return /^State:\s+Z/m.test(readFileSync(`/proc/${this.#pid}/status`, "utf8"));
      } catch {
        return true;
      }
    });
  }

  start(): void {
    const [program = "", ...args] = this.#command;
    this.#child = spawn(program, args, { cwd: this.#cwd, stdio: "ignore" });
    this.#pid = this.#child.pid ?? this.#pid;
  }

  end(): void {
    this.#child?.kill("SIGKILL");
  }
}

let server: Component;
let etcd: Component;

const componentOf = (name: string): Component => {
  const found = plane.processes.find((process) => process.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return new Component(found.pid);
};

function clientWith(metrics: Metrics): ApiClient {
  const client = new ApiClient(kubeconfigCredentials(plane.kubeconfig), {
    metrics,
    pingEveryMs: 500,
    pingTimeoutMs: 1500,
    timeoutMs: 3000,
  });
  clients.push(client);
  return client;
}

function follow(metrics: Metrics, watchSeconds = 300): Informer<DataObject> {
  const informer = new Informer(clientWith(metrics), CONFIG_MAPS, {
    namespace: "default",
    watchSeconds,
    backoff: { baseMs: 200, capMs: 2000 },
  });
  runs.push(informer.run(stop.signal));
  return informer;
}

async function put(name: string, value: string): Promise<void> {
  await waitFor(`${name} to be written`, () =>
    writer
      .request({
        method: "PATCH",
        path: `/api/v1/namespaces/default/configmaps/${name}`,
        query: { fieldManager: "test", force: true },
        contentType: "application/apply-patch+yaml",
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } },
      })
      .then(
        () => true,
        () => false,
      ),
  );
}

const valueOf = (informer: Informer<DataObject>, name: string): string | undefined =>
  informer.get(`default/${name}`)?.data?.value;
const listsOf = (metrics: Metrics): number =>
  ["first", "expired", "garbled", "rollback"].reduce(
    (sum, why) => sum + metrics.lists.value({ resource: "configmaps", why }),
    0,
  );

beforeAll(async () => {
  plane = await startControlPlane({ components: { controllerManager: false, scheduler: false } });
  server = componentOf("kube-apiserver");
  etcd = componentOf("etcd");
  writer = clientWith(new Metrics());
});

afterAll(async () => {
  stop.abort();
  await Promise.all(runs);
  for (const client of clients) client.close();
  server.end();
  etcd.end();
  await plane.stop();
});

test("row 1: after the API server was killed and came back, the watch goes on by itself with at most one new list", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics);
  await informer.synced();
  await put("killed", "before");
  await waitFor("the first value", () => valueOf(informer, "killed") === "before");
  await server.kill();
  await waitFor("the failure to be told", () => informer.state.failure !== undefined);
  server.start();
  await put("killed", "after");
  await waitFor("the value after the restart", () => valueOf(informer, "killed") === "after");
  expect(listsOf(metrics)).toBeLessThanOrEqual(2);
  expect(informer.state.failure).toBeUndefined();
});

test("row 2: a frozen API server is noticed by its missing pings, and the watch goes on after the thaw", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics);
  await informer.synced();
  await waitFor("the watch", () => metrics.requests.value({ verb: "WATCH", code: 200 }) > 0);
  server.signal("SIGSTOP");
  try {
    await waitFor("the dead connection to be noticed", () => informer.state.failure !== undefined, 10_000);
  } finally {
    server.signal("SIGCONT");
  }
  await put("frozen", "after");
  await waitFor("the value after the thaw", () => valueOf(informer, "frozen") === "after");
  expect(listsOf(metrics)).toBeLessThanOrEqual(2);
});

test("row 3: while etcd is frozen or gone there is no hot loop, and afterwards all goes on", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics, 1);
  await informer.synced();
  const started = performance.now();
  const before = total(metrics);
  etcd.signal("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 4000));
  etcd.signal("SIGCONT");
  await etcd.kill();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  etcd.start();
  const perSecond = (total(metrics) - before) / ((performance.now() - started) / 1000);
  expect(perSecond).toBeLessThan(5);
  await put("etcd", "after");
  await waitFor("the value after the return of etcd", () => valueOf(informer, "etcd") === "after");
});

test("row 4: when etcd is restored from an older copy, the cache is rebuilt from what the server has now", async () => {
  const data = etcd.flag("data-dir");
  const copies = mkdtempSync(join(tmpdir(), "fleetwright-etcd-"));
  await put("restored", "old");
  await server.kill();
  await etcd.kill();
  cpSync(data, join(copies, "data"), { recursive: true });
  etcd.start();
  server.start();
  for (let count = 0; count < 30; count++) await put("restored", `new ${count}`);
  await put("vanishes", "yes");
  const metrics = new Metrics();
  const informer = follow(metrics);
  await informer.synced();
  expect(valueOf(informer, "vanishes")).toBe("yes");
  await server.kill();
  await etcd.kill();
  rmSync(data, { recursive: true, force: true });
  cpSync(join(copies, "data"), data, { recursive: true });
  rmSync(copies, { recursive: true, force: true });
  etcd.start();
  server.start();
  await waitFor(
    "the cache to go back with the server",
    () => valueOf(informer, "restored") === "old" && valueOf(informer, "vanishes") === undefined,
    45_000,
  );
  await put("restored", "again");
  await waitFor("new values to be seen", () => valueOf(informer, "restored") === "again");
});

function total(metrics: Metrics): number {
  return metrics
    .render()
    .split("\n")
    .filter((line) => line.startsWith("rest_client_requests_total"))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
