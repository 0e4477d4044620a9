import { TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { clientsFor, type Clients } from "../../sandbox/aws/clients";
import { waitFor } from "../../lib/deadline";
import { numberAt } from "../../lib/json";
import { DEFAULT_RELEASE, EARLIER_RELEASE } from "../../sandbox/machines/rke2";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { ClusterCloud } from "../harness/cluster-cloud";
import { procedure } from "../harness/procedure";
import { Writer, type Written } from "../harness/writer";

/** Servers are away one at a time, so writes go on but for an election and for connections to the one that goes. */
const MAX_GAP_MS = 30_000;
const SERVERS = ["dev-server-0", "dev-server-1", "dev-server-2"];

/** One cluster's life, in one story: each drill goes on from the state in which the one before left it. */
describeMachines("a cluster that the program built", () => {
  let cluster: ClusterCloud;
  let aws: Clients;
  jest.setTimeout(1_200_000);

  beforeAll(async () => {
    cluster = await ClusterCloud.open({ releases: [EARLIER_RELEASE, DEFAULT_RELEASE] });
    aws = clientsFor(cluster.cloud.aws.endpoint, cluster.cloud.aws.region);
    await cluster.describe((args) => {
      args.version = EARLIER_RELEASE;
    });
    await drill("from nothing to all nodes Ready", () => cluster.up());
  }, 1_200_000);
  afterAll(async () => {
    aws.close();
    await cluster.close();
  });

  /** Does something and says how long it took. */
  async function drill<T>(what: string, work: () => Promise<T>): Promise<T> {
    const began = Date.now();
    const result = await work();
    process.stdout.write(`drill: ${what}: ${((Date.now() - began) / 1000).toFixed(0)} s\n`);
    return result;
  }

  /** Does something to the cluster while somebody writes to it; nothing that was acknowledged may be lost. */
  async function whileWriting(what: string, series: string, work: () => Promise<unknown>): Promise<Written> {
    const writer = await Writer.start(cluster, series);
    await drill(what, work);
    const written = await writer.stop();
    process.stdout.write(`drill: ${what}: ${JSON.stringify(written)}\n`);
    expect(written).toMatchObject({ lost: 0 });
    expect(written.acknowledged).toBeGreaterThan(50);
    expect(written.maxGapMs).toBeLessThan(MAX_GAP_MS);
    return written;
  }

  const settled = async (): Promise<void> => {
    const nodes = await cluster.nodes();
    expect(nodes.filter(({ isReady }) => !isReady)).toEqual([]);
    expect(nodes).toHaveLength(6);
  };

  test("has a server replaced: its member of etcd comes back with its data, and no write is lost", async () => {
    const [members, machine] = [await cluster.members(), await cluster.machine("dev-server-1")];
    await whileWriting("replace one server", "replaced", () =>
      cluster.up("--replace", "**::dev-server-1-instance"),
    );
    expect(await cluster.machine("dev-server-1")).not.toBe(machine);
    expect(await cluster.members("dev-server-1")).toEqual(members);
    expect(await cluster.sh("dev-server-1", "journalctl --unit rke2-server --output cat")).toContain(
      "Starting etcd for existing cluster member",
    );
    await settled();
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
  });

  test("gets back a server whose machine was terminated by somebody else", async () => {
    const [members, machine] = [await cluster.members(), await cluster.machine("dev-server-2")];
    await whileWriting("lose a server's machine", "lost", async () => {
      await aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [machine] }));
      await cluster.up("--refresh");
    });
    expect(await cluster.machine("dev-server-2")).not.toBe(machine);
    expect(await cluster.members("dev-server-2")).toEqual(members);
    await settled();
  });

  test("goes on when whoever ran the update is gone in its middle", async () => {
    const started = (server: string): Promise<string> =>
      cluster.sh(server, "systemctl show --property InvocationID --value rke2-server");
    const before = await started("dev-server-1");
    await cluster.describe((args) => {
      args.selfManaged = { ...Object(args.selfManaged), hardening: { cis: false, audit: false } };
    });
    await whileWriting("lose the runner", "runner", async () => {
      const running = cluster.program.start(["up", "--yes", "--skip-preview"]);
      await waitFor(
        "the second server to be restarted",
        async () => (await started("dev-server-1")) !== before,
        {
          timeoutMs: 300_000,
          intervalMs: 500,
        },
      );
      for (const { pid } of cluster.program.engine.processes()) process.kill(pid, "SIGKILL");
      await running.outcome;
      await cluster.program.engine.idle();
      await cluster.program.run(["cancel", "--yes"]);
      await cluster.up("--refresh");
    });
    await settled();
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
    for (const server of SERVERS)
      expect(await cluster.sh(server, "cat /etc/rancher/rke2/config.yaml")).not.toContain(
        "audit-policy-file",
      );
  });

  test("is upgraded by one minor version in place, one server after another", async () => {
    const [members, machines] = [
      await cluster.members(),
      await Promise.all(SERVERS.map((name) => cluster.machine(name))),
    ];
    await cluster.describe((args) => {
      args.version = DEFAULT_RELEASE;
    });
    await whileWriting("upgrade by one minor version", "upgraded", () => cluster.up());
    const versions = (await cluster.nodes()).map(({ version }) => version);
    expect(versions).toEqual(Array(6).fill(DEFAULT_RELEASE.replace(/\+.*/, "")));
    expect(await cluster.members()).toEqual(members);
    expect(await Promise.all(SERVERS.map((name) => cluster.machine(name)))).toEqual(machines);
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
  });

  describe("a pool", () => {
    const guests = { app: "guests" };
    const objects = [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "guests", namespace: "default" },
        spec: {
          replicas: 2,
          selector: { matchLabels: guests },
          template: {
            metadata: { labels: guests },
            spec: {
              terminationGracePeriodSeconds: 1,
              nodeSelector: { "fleetwright.dev/node-pool": "web" },
              containers: [
                { name: "pause", image: "fleetwright.dev/pause:1", imagePullPolicy: "IfNotPresent" },
              ],
            },
          },
        },
      },
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "guests", namespace: "default" },
        spec: { minAvailable: 1, selector: { matchLabels: guests } },
      },
    ];
    const web = async (): Promise<string[]> =>
      (await cluster.nodes())
        .filter(({ pool, isReady }) => pool === "web" && isReady)
        .map(({ name }) => name);
    const describePool = (change: Record<string, unknown>): Promise<void> =>
      cluster.describe((args) => {
        args.pools = (args.pools as { name: string }[]).map((pool) =>
          pool.name === "web" ? { ...pool, ...change } : pool,
        );
      });
    /** Updates, and gives the fewest Ready nodes and available guests that were ever seen meanwhile. */
    const leastDuringUp = async (what: string): Promise<{ nodes: number; guests: number }> => {
      const least = { nodes: Infinity, guests: Infinity };
      let isOver = false;
      const watch = (async () => {
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- it is set below, while this runs
        while (!isOver) {
          const found = await cluster.get("deployment", "guests").catch(() => undefined);
          const nodes = await web().catch(() => undefined);
          if (found === undefined || nodes === undefined) continue;
          least.nodes = Math.min(least.nodes, nodes.length);
          least.guests = Math.min(least.guests, numberAt(found, "status", "availableReplicas") ?? 0);
        }
      })();
      await drill(what, () => cluster.up());
      isOver = true;
      await watch;
      process.stdout.write(`drill: ${what}: ${JSON.stringify(least)}\n`);
      return least;
    };

    beforeAll(async () => {
      await cluster.apply(objects);
      await cluster.readyPods("app=guests", 2);
    });

    test("shrinks by nodes that are drained and leave the cluster before their machines end", async () => {
      const before = await web();
      await describePool({ count: 1 });
      expect(await leastDuringUp("shrink a pool from 2 to 1")).toMatchObject({ guests: 1 });
      const [left, ...others] = await web();
      expect([others, before.includes(left ?? "")]).toEqual([[], true]);
      const pods = await cluster.readyPods("app=guests", 2);
      expect(pods.map(({ node }) => node)).toEqual([left, left]);
      expect(await cluster.nodes()).toHaveLength(5);
    });

    test("grows by nodes that count when they are Ready", async () => {
      await describePool({ count: 2 });
      await leastDuringUp("grow a pool from 1 to 2");
      expect(await web()).toHaveLength(2);
    });

    test("has its nodes replaced one by one: a new one is Ready before an old one goes", async () => {
      const before = await web();
      await describePool({ labels: { tier: "front" } });
      const least = await leastDuringUp("replace both nodes of a pool");
      expect(least).toMatchObject({ nodes: 2 });
      expect(least.guests).toBeGreaterThanOrEqual(1);
      const after = await web();
      expect(after).toHaveLength(2);
      expect(after.filter((name) => before.includes(name))).toEqual([]);
      await settled();
      expect(Object.keys(await cluster.up())).toEqual(["same"]);
    });

    test("has nodes that can take out themselves and nobody else", async () => {
      const [node = ""] = await web();
      const kubelet = "/var/lib/rancher/rke2/agent/kubelet.kubeconfig";
      const deletion = `/var/lib/rancher/rke2/bin/kubectl --kubeconfig ${kubelet} delete node dev-server-0 2>&1 || true`;
      const said = await cluster.machineHost.inside(node).run(["sh", "-c", deletion]);
      expect(said).toMatch(/Forbidden.*node "i-\w+" is not allowed to modify node "dev-server-0"/);
    });
  });

  test("takes a server that cannot be reached for an error, never for one that is gone", async () => {
    const members = await cluster.members();
    const machine = await cluster.machine("dev-server-2");
    await cluster.machineHost.crash(machine);
    await cluster.describe((args) => {
      args.selfManaged = { ...Object(args.selfManaged), hardening: { cis: false, audit: true } };
    });
    const { code, stdout } = await drill("an unreachable server", () =>
      cluster.program.attempt(["up", "--yes", "--skip-preview"]),
    );
    expect(code).not.toBe(0);
    expect(stdout).toMatch(
      /of 3 members of etcd these are not well: dev-server-2 \(10\.0\.176\.10\)\. Restarting dev-server-0 as well would lose the majority/,
    );
    expect(await cluster.members()).toEqual(members);
    expect(await cluster.program.run(["stack", "--show-urns"])).toContain("dev-server-2-instance");
    await cluster.machineHost.reboot(machine);
    await cluster.up();
    await settled();
    expect(await cluster.members()).toEqual(members);
  });

  test("goes back to a snapshot of etcd by the documented procedure", async () => {
    const [list = "", stop = "", reset = "", rejoin = ""] = procedure("Restore etcd from a snapshot");
    const marker = (name: string): unknown => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default" },
    });
    await cluster.apply([marker("before")]);
    await cluster.sh("dev-server-0", "rke2 etcd-snapshot save --name drill");
    await cluster.apply([marker("after")]);
    const [snapshot = ""] = /^drill-dev-server-0-\d+/m.exec(await cluster.sh("dev-server-0", list)) ?? [];
    await drill("restore from a snapshot", async () => {
      await Promise.all(SERVERS.map((server) => cluster.sh(server, stop)));
      const [first = "", ...others] = SERVERS;
      await cluster.sh(first, `SNAPSHOT=${snapshot}\n${reset}`);
      for (const server of others) await cluster.sh(server, rejoin);
      await waitFor(
        "all nodes to be Ready",
        async () => {
          const nodes = await cluster.nodes();
          return (nodes.length === 6 && nodes.every(({ isReady }) => isReady)) || JSON.stringify(nodes);
        },
        { timeoutMs: 300_000, intervalMs: 1000 },
      );
    });
    expect(await cluster.members()).toHaveLength(3);
    await cluster.get("configmap", "before");
    await expect(cluster.get("configmap", "after")).rejects.toThrow("NotFound");
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
  });
});
