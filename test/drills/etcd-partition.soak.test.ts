// The network between the members of etcd is cut: the minority refuses writes, the majority goes on, and nothing that was
// acknowledged on either side is lost once the network is whole again. Real machines, real etcd, counted writes.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { listAt } from "../../lib/json";
import { ClusterFixture, nodeFixture, type NodeFixture } from "../../sandbox/machines/rke2/testing/cluster";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { Writer } from "../harness/writer";

const SERVERS = [nodeFixture(0), nodeFixture(1), nodeFixture(2)] as const;
const [first, ...others] = SERVERS;
const MINUTES = 60_000;
/** Writes of the majority that have to succeed while the minority is cut off, and refusals of the minority. */
const GOES_ON = 100;
const REFUSES = 3;
/** An election, and the writes that were with the leader that is cut off. */
const MAX_GAP_MS = 30_000;

describeMachines("three servers whose etcd members are cut off from each other", () => {
  let cluster: ClusterFixture;
  let folder: string;
  jest.setTimeout(20 * MINUTES);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "fleetwright-drill-"));
    cluster = await ClusterFixture.open();
    await Promise.all(SERVERS.map((node) => cluster.launch(node)));
    await cluster.start(first, "server", {});
    await cluster.active(first);
    for (const node of others) {
      await cluster.start(node, "server", { server: `https://${first.ip}:9345` });
      await cluster.active(node);
    }
    await cluster.ready(first, SERVERS);
  }, 20 * MINUTES);
  afterAll(async () => {
    await cluster.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes through the API server of one machine alone. */
  async function writeTo(node: NodeFixture, series: string): Promise<Writer> {
    const kubeconfig = path.join(folder, `${node.name}.kubeconfig`);
    const text = await cluster.sh(node, "cat /etc/rancher/rke2/rke2.yaml");
    await writeFile(kubeconfig, text.replace("127.0.0.1", node.ip), { mode: 0o600 });
    const { machineHost } = cluster;
    return Writer.start(
      {
        kubeconfig,
        command: (argv) => machineHost.command(argv),
        get: (...args) => cluster.get(node, ...args),
      },
      `${series}-${node.name}`,
    );
  }

  /** Cuts a machine off from the other servers, inside its own network namespace; the way to its API stays open. */
  const cut = (node: NodeFixture): Promise<string> => {
    const peers = SERVERS.filter((other) => other !== node)
      .map(({ ip }) => ip)
      .join(", ");
    return cluster.sh(
      node,
      `nft -f - <<'RULES'
table inet drill {
  chain in { type filter hook input priority -10; ip saddr { ${peers} } drop; }
  chain out { type filter hook output priority -10; ip daddr { ${peers} } drop; }
}
RULES`,
    );
  };
  const heal = (node: NodeFixture): Promise<string> => cluster.sh(node, "nft delete table inet drill");

  // Each in turn, so that one of them is the leader.
  test.each(SERVERS.map((node) => [node.name, node] as const))(
    "with %s cut off, it refuses writes, the others go on, and nothing acknowledged is lost",
    async (name, minority) => {
      const writers = new Map<NodeFixture, Writer>();
      for (const node of SERVERS) writers.set(node, await writeTo(node, `without-${name}`));
      const soFar = (node: NodeFixture): { acknowledged: number; refused: number } =>
        writers.get(node)?.soFar() ?? { acknowledged: 0, refused: 0 };
      const waits = { timeoutMs: 2 * MINUTES, intervalMs: 200 };

      await cut(minority);
      const refusedBefore = soFar(minority).refused;
      await waitFor(`${name} to refuse a write`, () => soFar(minority).refused > refusedBefore, waits);
      const [atRefusal, majority] = [soFar(minority), SERVERS.filter((node) => node !== minority)];
      const before = majority.map(soFar);
      await waitFor(
        "the minority to refuse and the majority to go on",
        () =>
          soFar(minority).refused >= atRefusal.refused + REFUSES &&
          majority.every(
            (node, index) => soFar(node).acknowledged >= (before[index]?.acknowledged ?? 0) + GOES_ON,
          ),
        waits,
      );
      expect(soFar(minority).acknowledged).toBe(atRefusal.acknowledged);

      await heal(minority);
      await waitFor(
        `${name} to take writes again`,
        () => soFar(minority).acknowledged >= atRefusal.acknowledged + 10,
        waits,
      );
      for (const [node, writer] of writers) {
        const written = await writer.stop();
        process.stdout.write(`drill: without ${name}, by ${node.name}: ${JSON.stringify(written)}\n`);
        expect(written).toMatchObject({ lost: 0 });
        if (node !== minority) expect(written.maxGapMs).toBeLessThan(MAX_GAP_MS);
      }
      // Each server has the same, those of the minority included.
      const counts = await Promise.all(
        SERVERS.map(async (node) => listAt(await cluster.get(node, "configmaps"), "items").length),
      );
      expect(new Set(counts).size).toBe(1);
      await cluster.ready(minority, SERVERS);
    },
  );
});
