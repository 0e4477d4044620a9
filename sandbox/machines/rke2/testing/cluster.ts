import { waitFor } from "../../../../lib/deadline";
import { Failure } from "../../../../lib/failure";
import { listAt, parseJson, textAt } from "../../../../lib/json";
import type { CommandResult } from "../../command";
import { MachineHost } from "../../machine-host";
import { booted, testFolder } from "../../testing/machine-host";
import { machineSpecFixture } from "../../testing/machine-spec";
import { DEFAULT_RELEASE, rke2Image, Rke2Releases } from "../index";

/** A machine of a test cluster, by its number: 0 to 2 are servers in three subnets, the rest are agents. */
export interface NodeFixture {
  id: string;
  name: string;
  ip: string;
  subnetCidr: string;
}

/** The node with a number. `generation` tells a replaced machine from the one before. */
export function nodeFixture(index: number, generation = 0): NodeFixture {
  const zone = (index % 3) + 1;
  return {
    id: `i-0${String.fromCharCode(97 + index)}${generation}`,
    name: index < 3 ? `server-${index}` : `agent-${index - 3}`,
    ip: `10.0.${zone}.${10 + Math.floor(index / 3)}`,
    subnetCidr: `10.0.${zone}.0/24`,
  };
}

const RELEASES = { host: "10.0.1.1", port: 8080 };
/** The token of the first server. */
export const TEST_TOKEN = "open-sesame";
const DEADLINE_MS = 180_000;

/** Machines with the stand-in for RKE2 on them, installed as an air-gapped RKE2 is. */
export class ClusterFixture {
  readonly releases = new Rke2Releases();
  private constructor(readonly machineHost: MachineHost) {}

  /** Opens a machine host whose machines can run the stand-in, and serves releases inside its network. */
  static async open(releases: readonly string[] = [DEFAULT_RELEASE]): Promise<ClusterFixture> {
    const image = await rke2Image({ releases });
    const cluster = new ClusterFixture(new MachineHost({ dir: testFolder(), image }));
    await cluster.machineHost.open();
    return cluster;
  }

  /** Removes everything. */
  async destroy(): Promise<void> {
    await this.machineHost.destroy();
    await this.releases.close();
  }

  /** Starts a machine and installs a release on it by downloading, checking and unpacking, as install.sh does. */
  async launch(node: NodeFixture, release = DEFAULT_RELEASE): Promise<void> {
    const { id, ip: privateIp, subnetCidr, name: hostname } = node;
    await this.machineHost.launch(machineSpecFixture({ id, privateIp, subnetCidr, hostname }));
    await booted(this.machineHost, id);
    await this.#forwardReleases();
    await this.install(node, release);
  }

  /** Installs a release on a machine that runs. */
  async install(node: NodeFixture, release = DEFAULT_RELEASE): Promise<void> {
    const from = `http://${RELEASES.host}:${RELEASES.port}/${encodeURIComponent(release)}`;
    await this.sh(
      node,
      `mkdir -p /tmp/rke2 && cd /tmp/rke2
curl -fsS --retry 5 --retry-connrefused -O ${from}/rke2.linux-amd64.tar.gz -O ${from}/sha256sum-amd64.txt
sha256sum --check --quiet sha256sum-amd64.txt
tar -xzf rke2.linux-amd64.tar.gz -C /usr/local
systemctl daemon-reload`,
    );
  }

  #forwarded: Promise<void> | undefined;
  #forwardReleases(): Promise<void> {
    // The address is the router's in the first subnet, which is there with the first machine.
    this.#forwarded ??= (async () => {
      const port = await this.releases.listen();
      await this.machineHost.networkServices.forwardPort({
        id: "rke2-releases",
        listen: { side: "inside", ...RELEASES },
        target: { side: "outside", host: "127.0.0.1", port },
      });
    })();
    return this.#forwarded;
  }

  /** Writes a configuration. */
  async configure(node: NodeFixture, config: Record<string, unknown>): Promise<void> {
    const text = JSON.stringify({ "node-name": node.name, token: TEST_TOKEN, ...config });
    await this.machineHost.inside(node.id).write("/etc/rancher/rke2/config.yaml", `${text}\n`, 0o600);
  }

  /** Writes a configuration and starts a service without waiting for it. */
  async start(node: NodeFixture, role: "server" | "agent", config: Record<string, unknown>): Promise<void> {
    await this.configure(node, config);
    await this.sh(node, `systemctl enable --quiet rke2-${role}; systemctl restart --no-block rke2-${role}`);
  }

  /** Waits until a service is up, as `systemctl start` would. */
  async active(node: NodeFixture, role: "server" | "agent" = "server"): Promise<void> {
    await waitFor(
      `rke2-${role} on ${node.name} to be active`,
      async () => {
        const { stdout } = await this.machineHost
          .inside(node.id)
          .attempt(["systemctl", "is-active", `rke2-${role}`]);
        return stdout.trim() === "active" || stdout.trim();
      },
      { timeoutMs: DEADLINE_MS, intervalMs: 200 },
    );
  }

  /** Runs the program in the foreground and gives how it ended and what it said; one that goes on is ended. */
  async foreground(
    node: NodeFixture,
    role: "server" | "agent",
    config: Record<string, unknown>,
    ...flags: string[]
  ): Promise<CommandResult> {
    await this.configure(node, config);
    return this.machineHost.inside(node.id).attempt(["timeout", "60", "rke2", role, ...flags]);
  }

  /** Runs a script in a machine that has to succeed. */
  async sh(node: NodeFixture, script: string): Promise<string> {
    return this.machineHost.inside(node.id).run(["sh", "-euc", script]);
  }

  /** Runs kubectl on a server. */
  async kubectl(node: NodeFixture, args: readonly string[], stdin?: string): Promise<CommandResult> {
    const kubectl = ["/var/lib/rancher/rke2/bin/kubectl", "--kubeconfig", "/etc/rancher/rke2/rke2.yaml"];
    return this.machineHost
      .inside(node.id)
      .attempt([...kubectl, ...args], stdin === undefined ? {} : { stdin });
  }

  /** Reads an object or a list by kubectl. */
  async get(node: NodeFixture, ...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.kubectl(node, ["get", "-o", "json", ...args]);
    if (code !== 0) throw new Failure(stderr);
    return parseJson(stdout);
  }

  /** Applies objects. */
  async apply(node: NodeFixture, items: readonly unknown[]): Promise<void> {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, stderr } = await this.kubectl(node, ["apply", "-f", "-"], list);
    if (code !== 0) throw new Failure(stderr);
  }

  /** Waits until exactly these nodes are ready, asked of one of the servers. */
  async ready(from: NodeFixture, nodes: readonly NodeFixture[]): Promise<void> {
    const wanted = nodes.map(({ name }) => name).sort();
    await waitFor(
      `the nodes ${wanted.join(", ")} to be ready`,
      async () => {
        const found = listAt(await this.get(from, "nodes"), "items").filter((node) =>
          listAt(node, "status", "conditions").some(
            (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
          ),
        );
        const names = found.map((node) => textAt(node, "metadata", "name") ?? "").sort();
        return wanted.every((name) => names.includes(name)) || `ready are ${names.join(", ")}`;
      },
      { timeoutMs: DEADLINE_MS, intervalMs: 500 },
    );
  }

  /** The members of etcd as a server's etcd lists them: `name=peer URL`, learners marked. */
  async members(node: NodeFixture): Promise<string[]> {
    const tls = "/var/lib/rancher/rke2/server/tls/etcd";
    const text = await this.sh(
      node,
      `/var/lib/rancher/rke2/bin/etcdctl --cacert ${tls}/server-ca.crt --cert ${tls}/client.crt --key ${tls}/client.key member list -w json`,
    );
    return listAt(parseJson(text), "members")
      .map((member) => `${textAt(member, "name") ?? ""}=${listAt(member, "peerURLs").join()}`)
      .sort();
  }

  /** Waits until the journal of a service says something. */
  async says(node: NodeFixture, unit: string, words: RegExp, timeoutMs = DEADLINE_MS): Promise<void> {
    await waitFor(
      `${unit} on ${node.name} to say ${String(words)}`,
      async () => {
        const journal = await this.sh(node, `journalctl --unit ${unit} --output cat --no-pager`);
        return words.test(journal) || journal.split("\n").slice(-4).join("\n");
      },
      { timeoutMs, intervalMs: 300 },
    );
  }
}
