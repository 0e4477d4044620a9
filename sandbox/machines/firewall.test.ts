import { spawn, type ChildProcess } from "node:child_process";
import { waitFor } from "../../lib/deadline";
import { attempt, run } from "./command";
import { firewallRules, type FirewallSpec, type GroupRule } from "./firewall";
import { SandboxNetwork } from "./network";
import { describeMachines } from "./testing/machine-host";

const SUBNET = "10.0.1.0/24";
const FAR = "10.0.2.0/24";
/** Two servers in two subnets, and one machine outside the group. */
const MACHINES = {
  "i-0a": ["10.0.1.10", SUBNET],
  "i-0b": ["10.0.2.10", FAR],
  "i-0c": ["10.0.1.30", SUBNET],
} as const;
type Id = keyof typeof MACHINES;

const from = (groups: string[], port: number, protocol = "tcp"): GroupRule => ({
  ...{ protocol, first: port, last: port, groups, cidrs: [] },
});
const everything: GroupRule = { protocol: "all", groups: [], cidrs: ["0.0.0.0/0"] };

const spec = (ingress: GroupRule[], egress: GroupRule[] = [everything]): FirewallSpec => ({
  groups: { servers: { ingress, egress }, others: { ingress: [], egress: [everything] } },
  interfaces: [
    { addresses: ["10.0.1.10"], groups: ["servers"] },
    { addresses: ["10.0.2.10"], groups: ["servers"] },
    { addresses: ["10.0.1.30"], groups: ["others"] },
  ],
});

test("without interfaces there are no rules, and those before are gone", () => {
  expect(firewallRules({ groups: {}, interfaces: [] })).toBe(
    ["bridge", "ip"]
      .map((family) => `table ${family} fleetwright_groups {}\ndelete table ${family} fleetwright_groups\n`)
      .join(""),
  );
});

describeMachines("security groups on the wire", () => {
  const network = new SandboxNetwork(`fw-wall-${process.pid}`);
  const servers: ChildProcess[] = [];
  const apply = (wanted: FirewallSpec): Promise<unknown> =>
    run(network.inside(["nft", "-f", "-"]), { stdin: firewallRules(wanted) });
  const within = (id: Id, argv: string[]): string[] => [
    "ip",
    "netns",
    "exec",
    `${network.key}.${id}`,
    ...argv,
  ];
  /** Whether a connection is made within a second or so. */
  const reaches = async (
    argv: (command: string[]) => string[],
    address: string,
    port: number,
  ): Promise<boolean> => {
    const program = `const s=require("net").connect(${port},"${address}");s.on("connect",()=>process.exit(0));s.on("error",()=>process.exit(1));setTimeout(()=>process.exit(2),700)`;
    return (await attempt(argv([process.execPath, "-e", program]))).code === 0;
  };
  const as = (id: Id) => (command: string[]) => within(id, command);
  const engine = (command: string[]): string[] => network.inside(command);

  beforeAll(async () => {
    await network.create(["nft"]);
    for (const [id, [address, subnet]] of Object.entries(MACHINES))
      await network.addMachine(id, address, subnet);
    const program = `for (const p of [6443, 9345]) require("net").createServer().listen(p)`;
    for (const id of ["i-0a", "i-0b", "i-0c"] as const) {
      const [command = "", ...args] = within(id, [process.execPath, "-e", program]);
      servers.push(spawn(command, args, { stdio: "ignore" }));
    }
    for (const [address] of Object.values(MACHINES))
      await waitFor(`${address} to listen`, () => reaches(engine, address, 9345), { timeoutMs: 30_000 });
  });
  afterAll(async () => {
    for (const server of servers) server.kill("SIGKILL");
    await network.remove();
  });

  test("a port is open to the members of a group and to nobody else, in its subnet and in others", async () => {
    await apply(spec([from(["servers"], 6443)]));
    expect(await reaches(as("i-0a"), "10.0.2.10", 6443)).toBe(true);
    expect(await reaches(as("i-0b"), "10.0.1.10", 6443)).toBe(true);
    expect(await reaches(as("i-0a"), "10.0.2.10", 9345)).toBe(false);
    expect(await reaches(as("i-0c"), "10.0.1.10", 6443)).toBe(false);
    expect(await reaches(as("i-0c"), "10.0.2.10", 6443)).toBe(false);
    expect(await reaches(as("i-0a"), "10.0.1.30", 6443)).toBe(false);
    expect(await reaches(engine, "10.0.1.10", 6443)).toBe(false);
  });

  test("a range lets in whoever has an address of it; a changed rule counts at once", async () => {
    await apply(spec([{ ...from([], 6443), cidrs: ["10.0.1.0/24"] }]));
    expect(await reaches(as("i-0c"), "10.0.1.10", 6443)).toBe(true);
    expect(await reaches(engine, "10.0.1.10", 6443)).toBe(true);
    expect(await reaches(as("i-0b"), "10.0.1.10", 6443)).toBe(false);
    await apply(spec([]));
    expect(await reaches(as("i-0c"), "10.0.1.10", 6443)).toBe(false);
  });

  test("what may not go out does not, though the other side would let it in", async () => {
    const open = [from(["servers"], 6443), from(["servers"], 9345)];
    await apply(spec(open, [from(["servers"], 9345)]));
    expect(await reaches(as("i-0a"), "10.0.2.10", 9345)).toBe(true);
    expect(await reaches(as("i-0a"), "10.0.2.10", 6443)).toBe(false);
  });

  test("pods pass between nodes only where the port of a CNI's tunnel is open", async () => {
    for (const [id, pod] of [
      ["i-0a", "10.42.0.1"],
      ["i-0b", "10.42.1.1"],
    ] as const)
      await run(within(id, ["ip", "addr", "add", `${pod}/32`, "dev", "lo"]));
    await run(
      within("i-0a", ["ip", "route", "add", "10.42.1.0/24", "via", "10.0.2.10", "dev", "eth0", "onlink"]),
    );
    await run(
      within("i-0b", ["ip", "route", "add", "10.42.0.0/24", "via", "10.0.1.10", "dev", "eth0", "onlink"]),
    );
    await apply(spec([from(["servers"], 6443)]));
    expect(await reaches(as("i-0a"), "10.42.1.1", 6443)).toBe(false);
    await apply(spec([from(["servers"], 8472, "udp")]));
    expect(await reaches(as("i-0a"), "10.42.1.1", 6443)).toBe(true);
    expect(await reaches(as("i-0a"), "10.0.2.10", 6443)).toBe(false);
  });
});
