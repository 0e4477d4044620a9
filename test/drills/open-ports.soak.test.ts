// With security groups enforced, exactly the needed ports are open: each rule of a running cluster is taken away in turn, and
// something that is named here fails; then every TCP port is asked from machines that are in no group of it, and from outside.
import { spawn, type ChildProcess } from "node:child_process";
import { basename } from "node:path";
import { DescribeAddressesCommand } from "@aws-sdk/client-ec2";
import { waitFor } from "../../lib/deadline";
import { listAt, parseJson, textAt } from "../../lib/json";
import { clientsFor, type Clients } from "../../sandbox/aws/clients";
import { attempt } from "../../sandbox/machines/command";
import { OUTSIDE_ADDRESS, OUTSIDE_RANGE } from "../../sandbox/machines/routing";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { ClusterCloud } from "../harness/cluster-cloud";
import { launchAlone, type Machine } from "../harness/lone-machine";
import { openPorts } from "../harness/port-scan";
import { securityRules } from "../harness/security-rules";

const MINUTES = 60_000;
/** The public subnet of the second zone: who is there may use the API. */
const CLIENTS = "10.0.96.0/20";
const NETWORK = "10.0.0.0/16";
const EVERYWHERE = "0.0.0.0/0";
const KUBECTL = "/var/lib/rancher/rke2/bin/kubectl --kubeconfig /etc/rancher/rke2/rke2.yaml";
const METRICS = 9808;

type Shell = (argv: readonly string[]) => Promise<{ code: number }>;
type Works = () => Promise<boolean>;
type Probe = readonly [what: string, works: Works];

describeMachines("the ports of a cluster with a bastion", () => {
  let cluster: ClusterCloud;
  let aws: Clients;
  let servers: Machine[];
  let agents: Machine[];
  let bastion: Machine;
  let balancer: string;
  let publicAddress: string;
  /** In the subnet of clients, and beside the agents; neither is in a group of the cluster. */
  let client: Machine;
  let stranger: Machine;
  /** Of the pods, by the address of the node that they run on. */
  const pods = new Map<string, string>();
  const updates: ChildProcess[] = [];
  jest.setTimeout(30 * MINUTES);

  beforeAll(async () => {
    cluster = await ClusterCloud.open({ programs: true });
    aws = clientsFor(cluster.cloud.aws.endpoint, cluster.cloud.aws.region);
    await cluster.describe((args) => {
      args.network = { ...Object(args.network), bastion: { from: [OUTSIDE_RANGE] } };
      args.api = { cidrs: [CLIENTS] };
    });
    await cluster.program.changes("up");
    const machines = async (name: string): Promise<Machine[]> =>
      (await cluster.machineHost.list())
        .filter(({ spec }) => spec.tags.Name?.startsWith(name) === true)
        .map(({ id, spec }) => ({ id, ip: spec.privateIp }));
    servers = await machines("dev-server-");
    agents = await machines("dev-web");
    bastion = first(await machines("dev-bastion"));
    const { balancers } = await cluster.cloud.aws.state();
    balancer = balancers[0]?.addresses[0]?.ip ?? "";
    const { Addresses = [] } = await aws.ec2.send(new DescribeAddressesCommand({}));
    publicAddress = Addresses.find(({ InstanceId }) => InstanceId === bastion.id)?.PublicIp ?? "";
    client = await launchAlone(cluster, CLIENTS, "client");
    stranger = await launchAlone(cluster, "10.0.0.0/19", "stranger");
    for (const port of [80, 443]) updates.push(serveOutside(port));
    await findPods();
  }, 20 * MINUTES);
  afterAll(async () => {
    for (const child of updates) child.kill("SIGKILL");
    aws.close();
    await cluster.close();
  }, 5 * MINUTES);

  const within =
    ({ id }: Machine) =>
    (argv: readonly string[]): string[] => [
      ...["ip", "netns", "exec", `${basename(cluster.machineHost.namespace)}.${id}`],
      ...argv,
    ];
  const outside = (argv: readonly string[]): string[] => cluster.machineHost.outside(argv);
  const fromOutside: Shell = (argv) => attempt(outside(argv));

  function serveOutside(port: number): ChildProcess {
    const program = `require("net").createServer(s=>s.end()).listen(${port})`;
    const [command = "", ...args] = outside([process.execPath, "-e", program]);
    return spawn(command, args, { stdio: "ignore" });
  }

  /** One pod on every node, which has an address of its own. */
  async function findPods(): Promise<void> {
    const labels = { app: "everywhere" };
    const container = { name: "pause", image: "fleetwright.dev/pause:1", imagePullPolicy: "IfNotPresent" };
    const template = {
      metadata: { labels },
      spec: { tolerations: [{ operator: "Exists" }], containers: [container] },
    };
    const daemons = {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "everywhere", namespace: "default" } },
      spec: { selector: { matchLabels: labels }, template },
    };
    await cluster.sh("dev-server-0", `echo '${JSON.stringify(daemons)}' | ${KUBECTL} apply -f -`);
    await waitFor(
      "a pod on every node",
      async () => {
        const list = await cluster.sh("dev-server-0", `${KUBECTL} get pods -l app=everywhere -o json`);
        for (const pod of listAt(parseJson(list), "items")) {
          const [node, ip] = [textAt(pod, "status", "hostIP"), textAt(pod, "status", "podIP")];
          if (node !== undefined && ip !== undefined) pods.set(node, ip);
        }
        return [...servers, ...agents].every(({ ip }) => pods.has(ip)) || `on ${[...pods.keys()].join(", ")}`;
      },
      { timeoutMs: 3 * MINUTES, intervalMs: 500 },
    );
  }

  const on =
    ({ id }: Machine): Shell =>
    (argv) =>
      cluster.machineHost.inside(id).attempt(argv);
  const connects =
    (run: Shell, { ip }: { ip: string }, port: number): Works =>
    async () =>
      (await run(["timeout", "3", "bash", "-c", `: </dev/tcp/${ip}/${port}`])).code === 0;
  /** All the way to an API server or supervisor that is behind the load balancer. */
  const asksBalancer =
    (from: Machine, port: number): Works =>
    async () => {
      const url = `https://${balancer}:${port}/ping`;
      return (await on(from)(["curl", "-ks", "--max-time", "4", "-o", "/dev/null", url])).code === 0;
    };
  const reachesPod =
    (from: Machine, to: Machine): Works =>
    async () =>
      (await on(from)(["ping", "-c", "1", "-W", "2", pods.get(to.ip) ?? ""])).code === 0;

  /** Who fails without a rule. A rule that is not here is one that nothing needs. */
  function probes(): Record<string, Probe> {
    const sides = { servers, agents };
    const [server, agent] = [first(servers), first(agents)];
    const table: Record<string, Probe> = {};
    for (const [from, members] of Object.entries(sides)) {
      const member = first(members);
      const other = (side: readonly Machine[]): Machine => first(side.filter(({ ip }) => ip !== member.ip));
      const asks = (port: number): Works => connects(on(member), other(servers), port);
      table[`servers: tcp 6443 from ${from}`] = [`${from} at the API of a server`, asks(6443)];
      table[`servers: tcp 9345 from ${from}`] = [`${from} at the supervisor of a server`, asks(9345)];
      for (const port of [6443, 9345])
        table[`balancer: tcp ${port} from ${from}`] = [
          `${from} at port ${port} of the load balancer`,
          asksBalancer(member, port),
        ];
      for (const [to, side] of Object.entries(sides)) {
        table[`${to}: tcp 10250 from ${from}`] = [
          `${from} at the kubelet of ${to}: logs, metrics-server`,
          connects(on(member), other(side), 10250),
        ];
        table[`${to}: tcp ${METRICS} from ${from}`] = [
          `Prometheus on ${from} at our agent on ${to}`,
          connects(on(member), other(side), METRICS),
        ];
        table[`${to}: udp 8472 from ${from}`] = [`${from} at pods on ${to}`, reachesPod(member, other(side))];
      }
    }
    const etcd = [2379, 2380].map((port) => connects(on(server), first(servers.slice(1)), port));
    return {
      ...table,
      "servers: tcp 2379-2380 from servers": [
        "etcd of a server at another's",
        async () => (await Promise.all(etcd.map((works) => works()))).some(Boolean),
      ],
      "servers: tcp 6443 from balancer": ["the API through the load balancer", asksBalancer(server, 6443)],
      "servers: tcp 9345 from balancer": [
        "registration through the load balancer",
        asksBalancer(agent, 9345),
      ],
      [`balancer: tcp 6443 from ${CLIENTS}`]: ["the API for clients", asksBalancer(client, 6443)],
      "balancer: tcp 6443 from bastion": ["the API for the tunnel", asksBalancer(bastion, 6443)],
      "servers: tcp 22 from bastion": ["logins to servers", connects(on(bastion), server, 22)],
      "agents: tcp 22 from bastion": ["logins to agents", connects(on(bastion), agent, 22)],
      [`bastion: tcp 22 from ${OUTSIDE_RANGE}`]: [
        "the way in",
        connects(fromOutside, { ip: publicAddress }, 22),
      ],
      [`bastion: tcp 22 to ${NETWORK}`]: ["logins by the bastion", connects(on(bastion), server, 22)],
      [`bastion: tcp 6443 to ${NETWORK}`]: ["the tunnel at the bastion", asksBalancer(bastion, 6443)],
      ...Object.fromEntries(
        [80, 443].map((port) => [
          `bastion: tcp ${port} to ${EVERYWHERE}`,
          [`updates of the bastion by port ${port}`, connects(on(bastion), { ip: OUTSIDE_ADDRESS }, port)],
        ]),
      ),
      [`servers: all to ${EVERYWHERE}`]: ["whatever servers ask", connects(on(server), agent, 10250)],
      [`agents: all to ${EVERYWHERE}`]: ["whatever agents ask", connects(on(agent), server, 6443)],
      [`balancer: all to ${EVERYWHERE}`]: ["the load balancer at servers", asksBalancer(client, 6443)],
    };
  }

  test("are open by rules that are all needed: without any one of them something fails that works with it", async () => {
    const rules = await securityRules(aws, "dev");
    const table = probes();
    const becomes = (name: string, wanted: boolean): Promise<boolean> => {
      const [what, works] = table[name] ?? ["nothing", () => Promise.resolve(false)];
      return waitFor(
        `${name}: ${what} to ${wanted ? "work" : "fail"}`,
        async () => (await works()) === wanted,
        { timeoutMs: MINUTES, intervalMs: 200 },
      ).then(
        () => true,
        () => false,
      );
    };
    const found: Record<string, string> = {};
    for (const { name, close, open } of rules) {
      const workedBefore = await becomes(name, true);
      await close();
      const failed = await becomes(name, false);
      await open();
      found[name] = [workedBefore, failed, await becomes(name, true)].join(" ");
      process.stdout.write(`drill: ${name}: ${table[name]?.[0] ?? "nothing"}: ${found[name]}\n`);
    }
    // With the rule it works, without it fails, with it again it works again.
    expect(found).toEqual(Object.fromEntries(Object.keys(table).map((name) => [name, "true true true"])));
  });

  test("are closed to machines in no group of the cluster, but for the API to its clients", async () => {
    const [server, agent] = [first(servers), first(agents)];
    // What a machine of the cluster finds shows that one who looks finds it.
    expect(await openPorts(within(agent), server.ip)).toEqual([6443, 9345, METRICS, 10250]);
    for (const address of [server.ip, agent.ip, bastion.ip, balancer])
      expect([address, await openPorts(within(stranger), address)]).toEqual([address, []]);
    expect(await openPorts(within(client), balancer)).toEqual([6443]);
    expect(await openPorts(within(client), server.ip)).toEqual([]);
  });

  test("are closed to the outside, but for the bastion's login", async () => {
    expect(await openPorts(outside, publicAddress)).toEqual([22]);
    for (const address of [first(servers).ip, balancer, bastion.ip])
      expect([address, await openPorts(outside, address)]).toEqual([address, []]);
  });
});

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new RangeError("there is none");
  return one;
}
