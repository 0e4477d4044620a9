// What somebody reads who starts an update where nothing reaches the nodes: the program says so while the engine still waits.
import { waitFor } from "../../lib/deadline";
import { OUTSIDE_ADDRESS } from "../../sandbox/machines/routing";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { ClusterCloud } from "../harness/cluster-cloud";
import { stagingHere } from "../harness/staging-here";

const MINUTES = 60_000;

describeMachines("an update from where nothing reaches the nodes", () => {
  let fixture: ClusterCloud;
  jest.setTimeout(10 * MINUTES);

  beforeAll(async () => {
    process.env.FLEETWRIGHT_DIAL_SECONDS = "5";
    fixture = await ClusterCloud.open({ stack: "staging", from: "outside" });
    await fixture.describe((cluster) => {
      stagingHere(cluster);
      cluster.pools = [];
      cluster.selfManaged = { ...Object(cluster.selfManaged), servers: { count: 1, retain: false } };
    });
  }, 10 * MINUTES);
  afterAll(async () => {
    delete process.env.FLEETWRIGHT_DIAL_SECONDS;
    await fixture.close();
  }, 5 * MINUTES);

  test.each([
    [
      "has no way in at all, is told of the three there are",
      { bastion: undefined },
      new RegExp(
        `server-0 at 10\\.20\\.\\d+\\.\\d+:22 was tried from this machine \\(${OUTSIDE_ADDRESS}\\) for 5 s and does not answer: .*` +
          "set network\\.bastion\\.from to the ranges that you come from.*selfManaged\\.login\\.proxy.*VPN",
      ),
    ],
    [
      "comes from another address than the bastion lets in, is told which those are",
      { bastion: { from: ["192.0.2.7/32"] } },
      new RegExp(
        `the bastion at 198\\.51\\.100\\.\\d+:22 was tried from this machine \\(${OUTSIDE_ADDRESS}\\) for 5 s and does not answer: .*` +
          "It lets in 192\\.0\\.2\\.7/32: put the public address that you have into network\\.bastion\\.from",
      ),
    ],
  ])("who %s", async (_, network, message) => {
    await fixture.describe((cluster) => {
      cluster.network = { ...Object(cluster.network), ...network };
    });
    const { program } = fixture;
    const running = program.start(["up", "--yes", "--skip-preview"]);
    let isOver = false;
    void running.outcome.then(() => (isOver = true));
    await waitFor(
      "the message",
      () => message.test(running.printed().replace(/\s+/g, " ")) || isOver || running.printed().slice(-2000),
      { timeoutMs: 5 * MINUTES, intervalMs: 500 },
    );
    expect(running.printed().replace(/\s+/g, " ")).toMatch(message);
    for (const { pid } of program.engine.processes()) process.kill(pid, "SIGKILL");
    await running.outcome;
    await program.engine.idle();
    await program.run(["cancel", "--yes"]);
  });
});
