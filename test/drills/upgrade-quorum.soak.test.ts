// A server dies while a ClusterUpgrade works on another: real machines, real etcd, our coordinator as its image runs it.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { orderOn, REPORT_ANNOTATION, reportOn } from "../../api/upgrade-annotations";
import { crdOf, KIND_NAMES } from "../../api";
import { waitFor } from "../../lib/deadline";
import { at, listAt, textAt } from "../../lib/json";
import { DEFAULT_RELEASE, EARLIER_RELEASE } from "../../sandbox/machines/rke2";
import { ClusterFixture, nodeFixture, type NodeFixture } from "../../sandbox/machines/rke2/testing/cluster";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { bundleCoordinator } from "../../scripts/images/programs";

const SERVERS = [nodeFixture(0), nodeFixture(1), nodeFixture(2)] as const;
const [first, second, third] = SERVERS;
/** What the kubelet of the sandbox's stand-in says, which has no suffix of RKE2. */
const TARGET = DEFAULT_RELEASE.replace(/\+.*/, "");
const MINUTES = 60_000;

describeMachines("an upgrade of three servers, one of which dies", () => {
  let cluster: ClusterFixture;
  let folder: string;
  let coordinator: ChildProcess | undefined;
  let said = "";
  const end = new AbortController();
  jest.setTimeout(20 * MINUTES);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "fleetwright-drill-"));
    cluster = await ClusterFixture.open([EARLIER_RELEASE, DEFAULT_RELEASE]);
    await Promise.all(SERVERS.map((node) => cluster.launch(node, EARLIER_RELEASE)));
    await cluster.start(first, "server", {});
    await cluster.active(first);
    for (const node of [second, third]) {
      await cluster.start(node, "server", { server: `https://${first.ip}:9345` });
      await cluster.active(node);
    }
    await cluster.ready(first, SERVERS);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleetwright-system" } };
    await cluster.apply(first, [namespace, ...KIND_NAMES.map(crdOf)]);
    coordinator = await startCoordinator();
  }, 20 * MINUTES);
  afterAll(async () => {
    end.abort();
    coordinator?.kill("SIGKILL");
    await cluster.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs inside the machines' network, as an administrator, against a server that stays up. */
  async function startCoordinator(): Promise<ChildProcess> {
    const bundle = path.join(folder, "coordinator.js");
    await bundleCoordinator(bundle);
    const kubeconfig = path.join(folder, "kubeconfig");
    const text = await cluster.sh(second, "cat /etc/rancher/rke2/rke2.yaml");
    await writeFile(kubeconfig, text.replace("127.0.0.1", second.ip), { mode: 0o600 });
    const flags = [
      "--kubeconfig",
      kubeconfig,
      "--controllers",
      "upgrades",
      "--port=0",
      "--leader-elect=false",
    ];
    const [program = "", ...args] = cluster.machineHost.command([process.execPath, bundle, ...flags]);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
    return child;
  }

  /** Does on the machines what agents would: installs the release, restarts the service, reports. */
  async function playAgents(isHeld: (node: NodeFixture) => boolean): Promise<void> {
    while (!end.signal.aborted) {
      for (const node of SERVERS) {
        const found = (await cluster.get(second, "node", node.name).catch(() => undefined)) as
          { metadata: { name: string; annotations?: Record<string, string> } } | undefined;
        const order = orderOn(found);
        if (order?.what !== "run" || reportOn(found)?.uid === order.uid || isHeld(node)) continue;
        await cluster.install(node, DEFAULT_RELEASE);
        await cluster.sh(node, "systemctl restart rke2-server");
        const report = JSON.stringify({ uid: order.uid, attempt: 1, exitCode: 0, installer: "Succeeded" });
        await cluster.kubectl(second, ["annotate", "node", node.name, `${REPORT_ANNOTATION}=${report}`]);
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  const upgrade = (): Promise<unknown> => cluster.get(second, "clusterupgrade", "up");
  const versionOf = async (node: NodeFixture): Promise<string | undefined> =>
    textAt(await cluster.get(second, "node", node.name), "status", "nodeInfo", "kubeletVersion");
  const reaches = (what: string, holds: (found: unknown) => boolean): Promise<void> =>
    waitFor(
      what,
      async () => {
        const found = await upgrade();
        return holds(found) || `${JSON.stringify(at(found, "status"))}\n${said}`;
      },
      { timeoutMs: 8 * MINUTES, intervalMs: 1000 },
    );
  const messageOf = (found: unknown): string =>
    textAt(listAt(found, "status", "conditions")[0], "message") ?? "";

  test("leaves the second alone, says why, and goes on when the dead one is back", async () => {
    let isFirstHeld = true;
    void playAgents((node) => node === first && isFirstHeld);
    const installer = { url: "https://example.com/installer", digest: `sha256:${"0".repeat(64)}` };
    const skip = ["EtcdSnapshot", "Agents", "BlockingPods"];
    const spec = { version: TARGET, installer, drain: { timeoutSeconds: 300 }, preflight: { skip } };
    await cluster.apply(second, [
      { apiVersion: "fleetwright.dev/v1", kind: "ClusterUpgrade", metadata: { name: "up" }, spec },
    ]);
    await reaches("the first server to be with its agent", (found) =>
      listAt(found, "status", "nodes").some((entry) => textAt(entry, "phase") === "Upgrading"),
    );
    await cluster.machineHost.crash(third.id);
    isFirstHeld = false;
    await reaches("it to be held", (found) => messageOf(found).includes(`${third.name} is not Ready`));
    await reaches("the first server to be done", (found) => at(found, "status", "done") === 1);
    expect([await versionOf(first), await versionOf(second)]).toEqual([
      TARGET,
      EARLIER_RELEASE.replace(/\+.*/, ""),
    ]);
    expect(at(await cluster.get(second, "node", second.name), "spec", "unschedulable")).toBeUndefined();
    await cluster.machineHost.start(third.id);
    await reaches("all servers to be done", (found) => textAt(found, "status", "phase") === "Succeeded");
    expect(await Promise.all(SERVERS.map(versionOf))).toEqual(SERVERS.map(() => TARGET));
    expect(await cluster.members(second)).toHaveLength(3);
  });
});
