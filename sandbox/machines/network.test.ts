import { run } from "./command";
import { SandboxNetwork } from "./network";
import { describeMachines } from "./testing/machine-host";

describeMachines("the network of a sandbox", () => {
  const network = new SandboxNetwork(`fw-net-${process.pid}`);
  const routerAddress = async (): Promise<string> =>
    (await run(network.inside(["cat", "/sys/class/net/br0/address"]))).trim();

  beforeAll(() => network.create(["nft"]));
  afterAll(() => network.remove());

  test("has one router with one hardware address, whatever machines come and go", async () => {
    // Machines remember the router's address. A bridge without one of its own has the lowest of its links', which are
    // random: the last of many links to come is the lowest now and then, and the first to go often was.
    const ids = Array.from({ length: 6 }, (_, index) => `i-0${index}`);
    const seen = new Set([await routerAddress()]);
    for (const [index, id] of ids.entries()) {
      await network.addMachine(id, `10.0.1.${10 + index}`, "10.0.1.0/24");
      seen.add(await routerAddress());
    }
    for (const id of ids) {
      await network.removeMachine(id);
      seen.add(await routerAddress());
    }
    expect([...seen]).toEqual(["02:fa:a9:fe:a9:fe"]);
  });
});
