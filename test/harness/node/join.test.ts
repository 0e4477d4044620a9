import { waitFor } from "../../../lib/deadline";
import { textAt } from "../../../lib/json";
import { describeMachines, testMachineHost } from "../../../sandbox/machines/testing/machine-host";
import { machineSpecFixture } from "../../../sandbox/machines/testing/machine-spec";
import { NODE_DEADLINE_MS, NodeClusterFixture } from "./node-cluster-fixture";

describeMachines("machines that join a cluster", () => {
  const machineHost = testMachineHost();
  const machines = [
    machineSpecFixture(),
    machineSpecFixture({
      id: "i-0a2",
      privateIp: "10.0.2.10",
      subnetCidr: "10.0.2.0/24",
      hostname: "ip-10-0-2-10",
    }),
  ];
  let cluster: NodeClusterFixture | undefined;
  const joined = (): NodeClusterFixture => {
    if (cluster === undefined) throw new Error("no machine has joined");
    return cluster;
  };

  beforeAll(async () => {
    await machineHost.open();
    await Promise.all(machines.map((machine) => machineHost.launch(machine)));
    cluster = await NodeClusterFixture.open(machineHost, machines, "10.0.1.1");
  }, 600_000);
  afterAll(async () => {
    await cluster?.close();
    await machineHost.destroy();
  });

  test("become ready", () => joined().ready(machines.length), 2 * NODE_DEADLINE_MS);

  test(
    "run pods that reach the API server through its service and write to a host path",
    async () => {
      for (const machine of machines)
        expect(await joined().probe(machine)).toBe("10.96.0.1 system:serviceaccount:default:default");
    },
    4 * NODE_DEADLINE_MS,
  );

  test("let pods of one machine reach pods of another by their own addresses", async () => {
    const addressOf = async (name: string): Promise<string> => {
      const path = `/api/v1/namespaces/default/pods/${name}`;
      let ip: string | undefined;
      await waitFor(
        `the address of ${name}`,
        async () => (ip = textAt(await joined().api.get(path), "status", "podIP")) !== undefined,
        { timeoutMs: 120_000 },
      );
      return ip ?? "";
    };
    const [one, two] = await Promise.all(machines.map(({ hostname }) => addressOf(hostname)));
    expect(one).toMatch(/^10\.128\.0\./);
    const find = 'nsenter -t $(pgrep -of /app/probe.js) -n ping -c1 -W2 "$1"';
    expect(await machineHost.inside("i-0a1").run(["sh", "-c", find, "sh", two ?? ""])).toContain(
      "1 received",
    );
  });
});
