import { waitFor } from "../../lib/deadline";
import type { TargetHealth } from "./network-helper/load-balancer";
import { describeMachines, testMachineHost } from "./testing/machine-host";
import { machineSpecFixture } from "./testing/machine-spec";

describeMachines("a load balancer", () => {
  const machineHost = testMachineHost();
  const heard: TargetHealth[] = [];
  const machines = [
    machineSpecFixture(),
    machineSpecFixture({ id: "i-0a2", privateIp: "10.0.2.10", subnetCidr: "10.0.2.0/24" }),
  ];
  const ask = async (): Promise<string> =>
    (await machineHost.exec(["curl", "-s", "-m", "2", "http://10.0.1.200/"])).stdout.trim();
  const health = async (): Promise<string[]> =>
    (await machineHost.networkServices.health()).map((target) => target.health);

  beforeAll(async () => {
    await machineHost.open();
    machineHost.networkServices.onHealth((change) => heard.push(change));
    await Promise.all(machines.map((machine) => machineHost.launch(machine)));
    for (const { id } of machines) {
      await machineHost.inside(id).write("/srv/index.html", `${id}\n`);
      await machineHost.inside(id).write("/srv/healthz", "ok\n");
      await machineHost
        .inside(id)
        .run(["systemd-run", "--quiet", "--unit=web", "python3", "-m", "http.server", "-d", "/srv", "8080"]);
    }
    const healthCheck = {
      protocol: "http" as const,
      path: "/healthz",
      intervalMs: 100,
      healthyThreshold: 2,
      unhealthyThreshold: 2,
    };
    await machineHost.networkServices.putLoadBalancer({
      id: "lb",
      addresses: [{ ip: "10.0.1.200", subnetCidr: "10.0.1.0/24" }],
      listeners: [
        { port: 80, healthCheck, targets: machines.map(({ id }) => ({ machineId: id, port: 8080 })) },
      ],
    });
  }, 600_000);
  afterAll(() => machineHost.destroy());

  test("forwards to healthy targets, from the sandbox and from machines", async () => {
    await waitFor("two healthy targets", async () => (await health()).every((found) => found === "healthy"), {
      timeoutMs: 120_000,
    });
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(new Set(answers)).toEqual(new Set(["i-0a1", "i-0a2"]));
    expect(
      await machineHost.inside("i-0a2").run(["curl", "-sf", "-m", "2", "http://10.0.1.200/healthz"]),
    ).toBe("ok\n");
  });

  test("leaves out a target that is not healthy, though it still answers", async () => {
    await machineHost.inside("i-0a1").run(["rm", "/srv/healthz"]);
    await waitFor("an unhealthy target", async () => (await health()).includes("unhealthy"), {
      timeoutMs: 120_000,
    });
    expect(new Set([await ask(), await ask(), await ask(), await ask()])).toEqual(new Set(["i-0a2"]));
    await waitFor(
      "the news",
      () => heard.some((change) => change.ip === "10.0.1.10" && change.health === "unhealthy"),
      {
        timeoutMs: 120_000,
      },
    );
  });

  test("refuses connections without a healthy target, and is gone when removed", async () => {
    await machineHost.crash("i-0a2");
    await waitFor("no healthy target", async () => !(await health()).includes("healthy"), {
      timeoutMs: 120_000,
    });
    expect(await ask()).toBe("");
    await machineHost.networkServices.removeLoadBalancer("lb");
    expect(await machineHost.networkServices.health()).toEqual([]);
    expect((await machineHost.exec(["ip", "-4", "addr"])).stdout).not.toContain("10.0.1.200");
  });
});
