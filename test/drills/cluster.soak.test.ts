import { TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { clientsFor, type Clients } from "../../sandbox/aws/clients";
import { waitFor } from "../../sandbox/deadline";
import { DEFAULT_RELEASE, EARLIER_RELEASE } from "../../sandbox/machines/rke2";
import { describeMachines } from "../../sandbox/machines/trial-hall";
import { ClusterCloud } from "./cluster-cloud";
import { procedure } from "./procedure";
import { Writer, type Written } from "./writer";

/** Servers are away one at a time, so writes go on but for an election and for connections to the one that goes. */
const LONGEST_GAP_MS = 30_000;
const SERVERS = ["dev-server-0", "dev-server-1", "dev-server-2"];

/** One cluster's life, in one story: each drill goes on from the state in which the one before left it. */
describeMachines("a cluster that the program built", () => {
  let cluster: ClusterCloud;
  let aws: Clients;
  jest.setTimeout(1_200_000);

  beforeAll(async () => {
    cluster = await ClusterCloud.open([EARLIER_RELEASE, DEFAULT_RELEASE]);
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
    expect(written.longestGapMs).toBeLessThan(LONGEST_GAP_MS);
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

  test("takes a server that cannot be reached for an error, never for one that is gone", async () => {
    const members = await cluster.members();
    const machine = await cluster.machine("dev-server-2");
    await cluster.hall.crash(machine);
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
    await cluster.hall.reboot(machine);
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
