import { existsSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../lib/deadline";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { tracesOf } from "../../sandbox/machines/testing/traces";
import { CloudFleet, type FleetOutputs } from "../harness/cloud-fleet";

const UP_MS = 300_000;

// That kubelets join and run pods on such machines is shown by test/dev-stack.test.ts.
describeMachines("a fleet of machines on the sandbox's cloud", () => {
  let fleet: CloudFleet;
  let before: FleetOutputs;
  jest.setTimeout(UP_MS);

  beforeAll(async () => {
    fleet = await CloudFleet.open();
  });
  afterAll(() => fleet.close());

  test("comes up, each machine with its own volume, formatted and mounted over SSH", async () => {
    expect(Object.keys(await fleet.program.changes("up"))).toEqual(["create"]);
    before = await fleet.program.outputs();
    expect(before.servers.map(({ history }) => history)).toEqual(
      before.servers.map(({ id }, index) => `server-${index} ${id}`),
    );
    const found = await fleet.program.ssh(
      "10.0.2.10",
      "findmnt --noheadings --output SOURCE,FSTYPE /data; hostname",
    );
    expect(found).toMatch(/ext4\nip-10-0-2-10\n$/);
  });

  test("shows no change in a second update, nor in a refresh", async () => {
    expect(Object.keys(await fleet.program.changes("up"))).toEqual(["same"]);
    expect(Object.keys(await fleet.program.changes("refresh"))).toEqual(["same"]);
  });

  test("is reached through the load balancer by its name, at every machine", async () => {
    const seen = new Set<string>();
    await waitFor(
      "an answer from every machine",
      async () => {
        const { stdout, stderr } = await fleet.machineHost.exec([
          "curl",
          "--silent",
          "--show-error",
          before.page,
        ]);
        if (stdout !== "") seen.add(stdout.trim());
        return seen.size === 3 || `${[...seen].join(", ")} ${stderr}`;
      },
      { timeoutMs: 120_000 },
    );
    expect([...seen].sort()).toEqual(["server-0", "server-1", "server-2"]);
  });

  test("refuses a volume that is attached elsewhere, as AWS does", async () => {
    await fleet.program.run(["config", "set", "steal", "true"]);
    const { engine, program, environment } = fleet.program;
    const { code, stdout } = await engine.pulumi(["up", "--yes", "--skip-preview"], program, environment);
    await fleet.program.run(["config", "rm", "steal"]);
    expect({ code, refused: /VolumeInUse: vol-\w+ is already attached to an instance/.test(stdout) }).toEqual(
      {
        code: 1,
        refused: true,
      },
    );
    expect(await fleet.program.ssh("10.0.1.10", "cat /data/member")).toBe("server-1\n");
  });

  test("keeps data and address of a machine that is replaced", async () => {
    await fleet.program.run(["config", "set", "generation", "two"]);
    const changes = await fleet.program.changes("up");
    expect(changes.delete ?? 0).toBe(0);
    const { servers } = await fleet.program.outputs();
    const [, old] = before.servers;
    const [, renewed] = servers;
    expect(renewed?.id).not.toBe(old?.id);
    expect({ volume: renewed?.volume, address: renewed?.address }).toEqual({
      volume: old?.volume,
      address: "10.0.1.10",
    });
    expect(await fleet.program.ssh("10.0.1.10", "cat /data/history /etc/generation")).toBe(
      `server-1 ${old?.id ?? ""}\nserver-1 ${renewed?.id ?? ""}\ntwo`,
    );
  });

  test("takes a machine that loses its power out of the load balancer, and lets it come back", async () => {
    const [victim] = before.servers;
    const healthOf = async (): Promise<string | undefined> =>
      (await fleet.cloud.aws.state()).balancers[0]?.targetGroups[0]?.targets.find(
        ({ id }) => id === victim?.id,
      )?.health;
    const reaches = (wanted: string): Promise<void> =>
      waitFor(
        `the target to be ${wanted}`,
        async () => {
          const found = await healthOf();
          return found === wanted || String(found);
        },
        { timeoutMs: 120_000 },
      );
    await reaches("healthy");
    await fleet.machineHost.crash(victim?.id ?? "");
    await reaches("unhealthy");
    await fleet.machineHost.reboot(victim?.id ?? "");
    // Its data is mounted again at boot; what served the page was not made to survive one.
    await waitFor(
      "a login after the power cut",
      async () => {
        const serve = "python3 -m http.server 8080 --directory /data";
        await fleet.program.ssh("10.0.0.10", `sudo systemd-run --quiet --unit=fleet-page ${serve}`);
        return true;
      },
      { timeoutMs: 120_000 },
    );
    await reaches("healthy");
    expect(await fleet.program.ssh("10.0.0.10", "cat /data/history")).toBe(`server-0 ${victim?.id ?? ""}\n`);
  });

  test("leaves nothing when it is destroyed", async () => {
    expect(Object.keys(await fleet.program.changes("destroy"))).toEqual(["delete"]);
    expect(await fleet.cloud.aws.leftovers()).toEqual([]);
    expect(await fleet.machineHost.list()).toEqual([]);
    expect(await fleet.machineHost.volumes.list()).toEqual([]);
    expect(fleet.machineHost.networkServices.loadBalancers()).toEqual([]);
    const machines = join(fleet.dir, "machines");
    await fleet.cloud.stop();
    expect(await tracesOf(machines)).toEqual([]);
    expect(existsSync(machines)).toBe(true);
  });
});
