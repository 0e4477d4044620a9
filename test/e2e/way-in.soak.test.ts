// The stack dev behind a bastion, on real machines: every login goes through it, the Kubernetes provider goes through the
// tunnel, and the tunnel ends with the engine. The sandbox does not route elastic addresses: here the test does what AWS's
// gateway does, and closes the nodes' SSH port to the network in which the engine runs.
import { EC2Client, DescribeAddressesCommand } from "@aws-sdk/client-ec2";
import { setTimeout as pause } from "node:timers/promises";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { at, listAt, parseJson, textAt } from "../../lib/json";
import { waitFor } from "../../lib/deadline";
import { ClusterCloud } from "../harness/cluster-cloud";

describeMachines("a cluster behind a bastion", () => {
  let fixture: ClusterCloud;
  let isOver = false;
  let routed: Promise<void>;

  beforeAll(async () => {
    fixture = await ClusterCloud.open();
    await fixture.describe((cluster) => {
      const selfManaged = cluster.selfManaged as Record<string, unknown>;
      cluster.pools = [];
      cluster.network = { ...(cluster.network as object), bastion: { from: ["203.0.113.7/32"] } };
      cluster.selfManaged = { ...selfManaged, servers: { count: 1, volumeSize: 4, retain: false } };
    });
    await fixture.program.configure((config) => {
      config["fleetwright:nodeLabels"] = {};
    });
    // moto's public addresses are loopback ones, which leave a machine only where that is asked for.
    await run("sysctl", "-qw", "net.ipv4.conf.all.route_localnet=1");
    for (const rule of [
      "add table ip fleetwright-test",
      "add chain ip fleetwright-test to { type nat hook output priority -100 ; }",
      "add chain ip fleetwright-test from { type nat hook postrouting priority 100 ; }",
      "add rule ip fleetwright-test from ct status dnat masquerade",
      "add chain ip fleetwright-test out { type filter hook output priority 0 ; }",
      "add rule ip fleetwright-test out ct status dnat accept",
      "add rule ip fleetwright-test out ip daddr 10.0.0.0/16 tcp dport 22 drop",
    ])
      await run("nft", rule);
    routed = route();
  }, 900_000);
  afterAll(async () => {
    isOver = true;
    await routed;
    await fixture.close();
  }, 300_000);

  const run = async (...argv: string[]): Promise<string> => {
    const { code, stdout, stderr } = await fixture.machineHost.exec(argv);
    if (code !== 0) throw new Error(`${argv.join(" ")}: ${stderr}`);
    return stdout;
  };

  /** Gives the bastion its public address, as soon as AWS has associated it. */
  async function route(): Promise<void> {
    const { AWS_ACCESS_KEY_ID: accessKeyId = "x", AWS_SECRET_ACCESS_KEY: secretAccessKey = "x" } =
      fixture.cloud.aws.environment;
    const client = new EC2Client({
      endpoint: fixture.cloud.aws.endpoint,
      region: "eu-central-1",
      credentials: { accessKeyId, secretAccessKey },
    });
    try {
      while (!isOver) {
        const { Addresses = [] } = await client.send(new DescribeAddressesCommand({}));
        const found = Addresses.find(({ InstanceId }) => InstanceId !== undefined && InstanceId !== "");
        const machine = (await fixture.machineHost.list()).find(({ id }) => id === found?.InstanceId);
        if (found?.PublicIp !== undefined && machine !== undefined) {
          const to = `${found.PublicIp} tcp dport 22 dnat to ${machine.spec.privateIp}:22`;
          await run("nft", `add rule ip fleetwright-test to ip daddr ${to}`);
          return;
        }
        await pause(1000);
      }
    } finally {
      client.destroy();
    }
  }

  const tunnels = async (): Promise<string[]> =>
    (await run("sh", "-c", "ps -e -o args= | grep '[r]un.js tunnel' || true"))
      .split("\n")
      .filter((line) => line !== "");

  test("comes up whole by one update, with everything in it", async () => {
    await fixture.program.changes("up");
    const outputs = await fixture.program.outputs();
    const address = textAt(outputs, "bastion", "address");
    expect(String(outputs.kubeconfig)).toContain(
      `proxy-url: socks5://127.0.0.1:${String(at(outputs, "bastion", "localPort"))}`,
    );
    const logins = await fixture.sh(
      "dev-bastion",
      "journalctl --unit ssh --no-pager | grep -c 'Accepted publickey for fw-tunnel'",
    );
    expect(Number(logins)).toBeGreaterThan(5);
    // Of the server's own log: who logged in came from the bastion, and nobody else.
    const bastion = (await fixture.machineHost.list()).find(({ spec }) => spec.tags.Name === "dev-bastion");
    const from = await fixture.sh(
      "dev-server-0",
      "journalctl --unit ssh --no-pager | grep -o 'Accepted publickey for fw-admin from [0-9.]*' | sort -u",
    );
    expect(from.trim()).toBe(`Accepted publickey for fw-admin from ${bastion?.spec.privateIp ?? ""}`);
    expect(address).not.toBe(bastion?.spec.privateIp);
  }, 1_200_000);

  test("leaves no tunnel behind", async () => {
    await waitFor("the tunnel to end", async () => (await tunnels()).length === 0, { timeoutMs: 60_000 });
  });

  test("shows no change in a second update, which opens the tunnel again", async () => {
    expect(Object.keys(await fixture.program.changes("up"))).toEqual(["same"]);
  }, 600_000);

  test("takes a change inside the cluster through the tunnel, also one that deletes after the program has ended", async () => {
    await fixture.program.configure((config) => {
      config["fleetwright:users"] = [];
    });
    expect(await fixture.program.changes("up")).toMatchObject({ delete: 1 });
  }, 600_000);

  test("is destroyed with nothing left", async () => {
    await fixture.program.changes("destroy");
    const left = listAt(parseJson(await fixture.program.run(["stack", "export"])), "deployment", "resources");
    expect(left.filter((one) => textAt(one, "type") !== "pulumi:pulumi:Stack")).toEqual([]);
  }, 900_000);
});
