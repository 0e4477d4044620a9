// The life of the stack staging as somebody has it who sits outside of its network, with nothing but a bastion in between: up,
// no change, other machines under its servers, a zone lost, and nothing left. Pulumi, kubectl and whoever writes run outside.
import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { everyCluster, notNamed, selfManaged } from "../../scripts/docs/permissions";
import { waitFor } from "../../lib/deadline";
import { at, isObject, listAt, parseJson, textAt } from "../../lib/json";
import { clientsFor, type Clients } from "../../sandbox/aws/clients";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { ClusterCloud } from "../harness/cluster-cloud";
import type { Running } from "../harness/engine";
import { EtcdWatch } from "../harness/etcd-watch";
import { stagingHere } from "../harness/staging-here";
import { Writer } from "../harness/writer";

const MINUTES = 60_000;
/** Nobody holds its private half. */
const KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFTOec20SNjQh5tevYxuswprc1utQMYVzsLNfj4nyIPr ada@example.com";
const SERVERS = [0, 1, 2].map((index) => `staging-server-${index}`);
/** An election, and the connections to the server that goes. */
const MAX_GAP_MS = 30_000;

describeMachines("staging, from outside its network", () => {
  let fixture: ClusterCloud;
  let aws: Clients;
  let tunnel: Running | undefined;
  jest.setTimeout(30 * MINUTES);

  beforeAll(async () => {
    fixture = await ClusterCloud.open({ stack: "staging", from: "outside", programs: true });
    aws = clientsFor(fixture.cloud.aws.endpoint, fixture.cloud.aws.region);
    await fixture.describe(stagingHere);
    await fixture.program.configure((config) => {
      config["fleetwright:users"] = [{ name: "ada", sshKeys: [{ key: KEY }] }];
    });
  }, 15 * MINUTES);
  afterAll(async () => {
    tunnel?.signal("SIGINT");
    await tunnel?.outcome;
    aws.close();
    await fixture.close();
  }, 10 * MINUTES);

  /** Does something and says how long it took. */
  async function drill<T>(what: string, work: () => Promise<T>): Promise<T> {
    const began = Date.now();
    const result = await work();
    process.stdout.write(`drill: ${what}: ${((Date.now() - began) / 1000).toFixed(0)} s\n`);
    return result;
  }

  /** Does something while somebody writes through the tunnel, and etcd is asked each second. */
  async function whileWriting(what: string, series: string, work: () => Promise<unknown>): Promise<void> {
    const writer = await Writer.start(fixture, series);
    const watch = new EtcdWatch(fixture.machineHost, SERVERS);
    await drill(what, work);
    const [written, seen] = [await writer.stop(), await watch.stop()];
    process.stdout.write(`drill: ${what}: ${JSON.stringify({ ...written, ...seen })}\n`);
    expect(written).toMatchObject({ lost: 0 });
    expect(written.acknowledged).toBeGreaterThan(50);
    expect(written.maxGapMs).toBeLessThan(MAX_GAP_MS);
    expect(seen).toMatchObject({ fewestUp: 2, withoutQuorum: 0 });
    expect(seen.longestChoice * 1000).toBeLessThan(MAX_GAP_MS);
  }

  const settled = async (): Promise<void> => {
    await waitFor(
      "all nodes to be Ready",
      async () => {
        const nodes = await fixture.nodes();
        return (nodes.length === 7 && nodes.every(({ isReady }) => isReady)) || JSON.stringify(nodes);
      },
      { timeoutMs: 5 * MINUTES, intervalMs: 1000 },
    );
    expect(await fixture.members()).toHaveLength(3);
  };
  const describeServers = (change: object): Promise<void> =>
    fixture.describe((cluster) => {
      const selfManaged = { ...Object(cluster.selfManaged) } as Record<string, object>;
      cluster.selfManaged = { ...selfManaged, servers: { ...selfManaged.servers, ...change } };
    });
  const named = async (name: string) =>
    (await fixture.machineHost.list()).find(({ spec }) => spec.tags.Name === name);

  test("comes up whole by one update", async () => {
    expect(Object.keys(await drill("from nothing to all nodes Ready", () => fixture.up()))).toEqual([
      "create",
    ]);
    const outputs = await fixture.program.outputs();
    expect(String(outputs.kubeconfig)).toContain(
      `proxy-url: socks5://127.0.0.1:${String(at(outputs, "bastion", "localPort"))}`,
    );
    const bastion = await named("staging-bastion");
    expect(textAt(outputs, "bastion", "address")).not.toBe(bastion?.privateIp);
    // Of each server's own log: who logged in came from the bastion, and nobody else.
    for (const server of SERVERS) {
      const log =
        "journalctl --unit ssh --no-pager | grep -o 'Accepted publickey for .* from [0-9.]*' | sort -u";
      expect((await fixture.sh(server, log)).trim()).toBe(
        `Accepted publickey for fw-admin from ${bastion?.privateIp ?? ""}`,
      );
    }
  });

  test("leaves no tunnel behind", async () => {
    const own = `${fixture.program.folder}/run.js tunnel`;
    const tunnels = async (): Promise<boolean> =>
      (await fixture.machineHost.exec(["ps", "-e", "-o", "args="])).stdout.includes(own);
    await waitFor("the tunnel to end", async () => !(await tunnels()), { timeoutMs: MINUTES });
  });

  test("shows no change in a second update, which opens a tunnel again", async () => {
    expect(Object.keys(await drill("an update without change", () => fixture.up()))).toEqual(["same"]);
  });

  test("takes out what is in the cluster after the program has ended, through the tunnel", async () => {
    await fixture.program.configure((config) => {
      config["fleetwright:users"] = [];
    });
    expect(await fixture.up()).toMatchObject({ delete: 1 });
  });

  test("is used by kubectl through a tunnel that a person holds open", async () => {
    tunnel = fixture.program.spawn(["node_modules/.bin/tsx", "tunnel/cli.ts"]);
    void tunnel.outcome.then(({ code, stderr }) => {
      if (code !== 0) process.stdout.write(`the tunnel ended with ${String(code)}: ${stderr}\n`);
    });
    await waitFor(
      "the API through the tunnel",
      async () => {
        const { code, stderr } = await fixture.kubectl(["get", "--raw", "/readyz"]);
        return code === 0 || stderr;
      },
      { timeoutMs: 2 * MINUTES },
    );
    await settled();
    expect(new Set((await fixture.nodes()).map(({ pool }) => pool))).toEqual(
      new Set(["servers", "web", "batch"]),
    );
  });

  test("gets machines of another type under its servers, one after another", async () => {
    const [members, machines] = [
      await fixture.members(),
      await Promise.all(SERVERS.map((name) => fixture.machine(name))),
    ];
    await describeServers({ instanceType: "m7i.xlarge" });
    await whileWriting("another instance type", "type", () => fixture.up());
    const after = await Promise.all(SERVERS.map((name) => fixture.machine(name)));
    expect(after.filter((id) => machines.includes(id))).toEqual([]);
    const { Reservations = [] } = await aws.ec2.send(new DescribeInstancesCommand({ InstanceIds: after }));
    expect(Reservations.flatMap(({ Instances = [] }) => Instances.map((one) => one.InstanceType))).toEqual(
      SERVERS.map(() => "m7i.xlarge"),
    );
    expect(await fixture.members()).toEqual(members);
    await settled();
    expect(Object.keys(await fixture.up())).toEqual(["same"]);
  });

  test("goes on without the zone of the server that leads, and is whole when that is back", async () => {
    const members = await fixture.members();
    await fixture.lead("staging-server-1");
    const zone = (await named("staging-server-1"))?.spec.zone;
    const lost = (await fixture.machineHost.list()).filter(({ spec }) => spec.zone === zone);
    expect(lost.map(({ spec }) => spec.tags.Name)).toContain("staging-server-1");
    expect(lost.map(({ spec }) => spec.tags.Name)).not.toContain("staging-bastion");
    expect(lost.length).toBeGreaterThan(1);
    await whileWriting(`a zone with ${lost.length} machines lost, and back`, "zone", async () => {
      await Promise.all(lost.map(({ id }) => fixture.machineHost.crash(id)));
      await waitFor(
        "its nodes to be called not ready",
        async () => {
          const away = (await fixture.nodes()).filter(({ isReady }) => !isReady);
          return away.length === lost.length || `${away.length} of ${lost.length}`;
        },
        { timeoutMs: 5 * MINUTES, intervalMs: 1000 },
      );
      await Promise.all(lost.map(({ id }) => fixture.machineHost.start(id)));
      await settled();
    });
    expect(await fixture.members("staging-server-1")).toEqual(members);
    expect(Object.keys(await fixture.up())).toEqual(["same"]);
  });

  test("asked of AWS nothing that docs/reference/permissions.md does not name", () => {
    const { ledger } = fixture.cloud.aws;
    expect(ledger.entries().map(({ action }) => action)).toContain("CreateLifecyclePolicy");
    expect(notNamed(ledger.entries(), [everyCluster, selfManaged])).toEqual([]);
  });

  test("is torn down by the documented steps, and nothing is left", async () => {
    // With the preview that comes before: without one the engine takes away what is not protected, before it fails.
    const machines = (await fixture.machineHost.list()).map(({ id }) => id);
    const refused = await fixture.program.attempt(["destroy", "--yes"]);
    expect([refused.code === 0, refused.stdout + refused.stderr]).toEqual([
      false,
      expect.stringContaining("protect"),
    ]);
    expect((await fixture.machineHost.list()).map(({ id }) => id)).toEqual(machines);
    await describeServers({ retain: false });
    await fixture.up();
    await drill("destroy", () => fixture.program.changes("destroy"));
    const state = parseJson(await fixture.program.run(["stack", "export"]));
    const left = listAt(state, "deployment", "resources").filter(isObject);
    expect(left.filter(({ type }) => type !== "pulumi:pulumi:Stack")).toEqual([]);
    expect(await fixture.cloud.aws.leftovers()).toEqual([]);
    await waitFor("all machines to be gone", async () => (await fixture.machineHost.list()).length === 0, {
      timeoutMs: 2 * MINUTES,
    });
    expect(await fixture.machineHost.volumes.list()).toEqual([]);
  });
});
