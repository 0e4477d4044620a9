import { spawn, type ChildProcess } from "node:child_process";
import { waitFor } from "../../lib/deadline";
import { attempt } from "./command";
import { SandboxNetwork } from "./network";
import { OUTSIDE_ADDRESS, routingRules, type RoutingSpec } from "./routing";
import { describeMachines } from "./testing/machine-host";

describeMachines("ways out of a sandbox's network", () => {
  const network = new SandboxNetwork(`fw-ways-${process.pid}`);
  const servers: ChildProcess[] = [];
  const BALANCER = "10.0.2.200";
  const API = { address: "169.254.169.251", port: 4566 };
  const apply = (spec: RoutingSpec): Promise<void> => network.applyRules(routingRules(spec, [API]));
  const machine = (id: string) => (argv: readonly string[]) => [
    "ip",
    "netns",
    "exec",
    `${network.key}.${id}`,
    ...argv,
  ];
  const outside = (argv: readonly string[]): string[] => network.outside(argv);
  /** The address under which a server sees whoever connects to it; undefined where no connection is made. */
  const seenAs = async (
    from: (argv: readonly string[]) => string[],
    address: string,
    port = 80,
  ): Promise<string> => {
    const program = `const s=require("net").connect(${port},"${address}");s.pipe(process.stdout);s.on("error",()=>process.exit(1));s.on("end",()=>process.exit(0));setTimeout(()=>process.exit(2),700)`;
    return (await attempt(from([process.execPath, "-e", program]))).stdout;
  };
  const serve = (inside: (argv: readonly string[]) => string[], port: number, host = "::"): void => {
    const program = `require("net").createServer(s=>s.end(s.remoteAddress.replace("::ffff:",""))).listen(${port},"${host}")`;
    const [command = "", ...args] = inside([process.execPath, "-e", program]);
    servers.push(spawn(command, args, { stdio: "ignore" }));
  };

  beforeAll(async () => {
    await network.create(["nft"]);
    await network.addMachine("i-0a", "10.0.1.10", "10.0.1.0/24");
    await network.addMachine("i-0b", "10.0.2.10", "10.0.2.0/24");
    await network.addAddress(BALANCER);
    serve(outside, 80);
    serve((argv) => network.inside(argv), 80, BALANCER);
    for (const id of ["i-0a", "i-0b"]) serve(machine(id), 80);
    serve((argv) => network.inside(argv), API.port);
    serve((argv) => network.inside(argv), 2000);
    for (const [from, address] of [
      [outside, "127.0.0.1"],
      [machine("i-0a"), "10.0.2.10"],
      [machine("i-0b"), "10.0.1.10"],
      [machine("i-0b"), BALANCER],
    ] as const)
      await waitFor(`a server at ${address}`, async () => (await seenAs(from, address)) !== "", {
        timeoutMs: 30_000,
      });
  });
  afterAll(async () => {
    for (const server of servers) server.kill("SIGKILL");
    await network.remove();
  });

  test("a subnet without a route reaches nothing outside, and nothing outside reaches it", async () => {
    await apply({ nat: [], publicAddresses: [] });
    expect(await seenAs(machine("i-0a"), OUTSIDE_ADDRESS)).toBe("");
    expect(await seenAs(outside, "10.0.1.10")).toBe("");
    expect(await seenAs(machine("i-0a"), "10.0.2.10")).toBe("10.0.1.10");
  });

  test("behind a NAT gateway machines get out with its address and cannot be reached", async () => {
    await apply({ nat: [{ subnetCidr: "10.0.1.0/24", publicIp: "198.51.100.7" }], publicAddresses: [] });
    expect(await seenAs(machine("i-0a"), OUTSIDE_ADDRESS)).toBe("198.51.100.7");
    expect(await seenAs(machine("i-0b"), OUTSIDE_ADDRESS)).toBe("");
    expect(await seenAs(outside, "198.51.100.7")).toBe("");
    expect(await seenAs(outside, "10.0.1.10")).toBe("");
  });

  test("with a public address and an internet gateway a machine is reached, and gets out, by that address", async () => {
    await apply({ nat: [], publicAddresses: [{ publicIp: "198.51.100.9", privateIp: "10.0.2.10" }] });
    expect(await seenAs(outside, "198.51.100.9")).toBe(OUTSIDE_ADDRESS);
    expect(await seenAs(outside, "10.0.2.10")).toBe("");
    expect(await seenAs(machine("i-0b"), OUTSIDE_ADDRESS)).toBe("198.51.100.9");
    expect(await seenAs(machine("i-0a"), OUTSIDE_ADDRESS)).toBe("");
  });

  test("a public address may be the router's own, as that of a load balancer is", async () => {
    await apply({ nat: [], publicAddresses: [{ publicIp: "198.51.100.11", privateIp: BALANCER }] });
    expect(await seenAs(outside, "198.51.100.11")).toBe(OUTSIDE_ADDRESS);
    expect(await seenAs(outside, BALANCER)).toBe("");
    expect(await seenAs((argv) => network.inside(argv), "198.51.100.11")).toBe("203.0.113.1");
    await apply({ nat: [], publicAddresses: [] });
    expect(await seenAs(outside, "198.51.100.11")).toBe("");
  });

  test("from inside, public addresses are reached by the way out, and from the address that one has there", async () => {
    const publicAddresses = [
      { publicIp: "198.51.100.9", privateIp: "10.0.2.10" },
      { publicIp: "198.51.100.11", privateIp: BALANCER },
    ];
    await apply({ nat: [], publicAddresses });
    for (const { publicIp } of publicAddresses) expect(await seenAs(machine("i-0a"), publicIp)).toBe("");
    expect(await seenAs(machine("i-0b"), "198.51.100.11")).toBe("198.51.100.9");
    await apply({ nat: [{ subnetCidr: "10.0.1.0/24", publicIp: "198.51.100.7" }], publicAddresses });
    for (const { publicIp } of publicAddresses)
      expect(await seenAs(machine("i-0a"), publicIp)).toBe("198.51.100.7");
    expect(await seenAs(machine("i-0a"), "10.0.2.10")).toBe("10.0.1.10");
  });

  test("of the router itself only AWS's API is open to the outside", async () => {
    expect(await seenAs(outside, API.address, API.port)).toBe(OUTSIDE_ADDRESS);
    expect(await seenAs(outside, "203.0.113.1", 2000)).toBe("");
    expect(await seenAs(outside, "10.0.1.1", 2000)).toBe("");
  });
});
