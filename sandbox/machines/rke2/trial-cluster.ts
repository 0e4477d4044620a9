import { waitFor } from "../../deadline";
import { Failure } from "../../failure";
import { listAt, parseJson, textAt } from "../../json";
import type { CommandResult } from "../command";
import { MachineHall } from "../hall";
import { booted, trialFolder } from "../trial-hall";
import { trialMachine } from "../trial-machine";
import { DEFAULT_RELEASE, rke2Image, Rke2Releases } from "./index";

/** A machine of a trial, by its number: 0 to 2 are servers in three subnets, the rest are agents. */
export interface TrialNode {
  id: string;
  name: string;
  ip: string;
  subnetCidr: string;
}

/** The node with a number. `generation` tells a replaced machine from the one before. */
export function trialNode(index: number, generation = 0): TrialNode {
  const zone = (index % 3) + 1;
  return {
    id: `i-0${String.fromCharCode(97 + index)}${generation}`,
    name: index < 3 ? `server-${index}` : `agent-${index - 3}`,
    ip: `10.0.${zone}.${10 + Math.floor(index / 3)}`,
    subnetCidr: `10.0.${zone}.0/24`,
  };
}

const DOOR = { host: "10.0.1.1", port: 8080 };
/** The token that the trial's first server is given. */
export const TRIAL_TOKEN = "open-sesame";
const DEADLINE_MS = 180_000;

/** Machines with the stand-in for RKE2 on them, installed as an air-gapped RKE2 is. */
export class TrialCluster {
  readonly releases = new Rke2Releases();
  private constructor(readonly hall: MachineHall) {}

  /** Opens a hall whose machines can run the stand-in, and serves releases inside its network. */
  static async open(releases: readonly string[] = [DEFAULT_RELEASE]): Promise<TrialCluster> {
    const image = await rke2Image({ releases });
    const cluster = new TrialCluster(new MachineHall({ dir: trialFolder(), image }));
    await cluster.hall.open();
    return cluster;
  }

  /** Removes everything. */
  async destroy(): Promise<void> {
    await this.hall.destroy();
    await this.releases.close();
  }

  /** Starts a machine and installs a release on it by downloading, checking and unpacking, as install.sh does. */
  async launch(node: TrialNode, release = DEFAULT_RELEASE): Promise<void> {
    const { id, ip: privateIp, subnetCidr, name: hostname } = node;
    await this.hall.launch(trialMachine({ id, privateIp, subnetCidr, hostname }));
    await booted(this.hall, id);
    await this.#openDoor();
    await this.install(node, release);
  }

  /** Installs a release on a machine that runs. */
  async install(node: TrialNode, release = DEFAULT_RELEASE): Promise<void> {
    const from = `http://${DOOR.host}:${DOOR.port}/${encodeURIComponent(release)}`;
    await this.sh(
      node,
      `mkdir -p /tmp/rke2 && cd /tmp/rke2
curl -fsS --retry 5 --retry-connrefused -O ${from}/rke2.linux-amd64.tar.gz -O ${from}/sha256sum-amd64.txt
sha256sum --check --quiet sha256sum-amd64.txt
tar -xzf rke2.linux-amd64.tar.gz -C /usr/local
systemctl daemon-reload`,
    );
  }

  #door: Promise<void> | undefined;
  #openDoor(): Promise<void> {
    // The address is the router's in the first subnet, which is there with the first machine.
    this.#door ??= (async () => {
      const port = await this.releases.listen();
      await this.hall.switchboard.forward({
        id: "rke2-releases",
        listen: { side: "inside", ...DOOR },
        target: { side: "outside", host: "127.0.0.1", port },
      });
    })();
    return this.#door;
  }

  /** Writes a configuration. */
  async configure(node: TrialNode, config: Record<string, unknown>): Promise<void> {
    const text = JSON.stringify({ "node-name": node.name, token: TRIAL_TOKEN, ...config });
    await this.hall.inside(node.id).write("/etc/rancher/rke2/config.yaml", `${text}\n`, 0o600);
  }

  /** Writes a configuration and starts a service without waiting for it. */
  async start(node: TrialNode, role: "server" | "agent", config: Record<string, unknown>): Promise<void> {
    await this.configure(node, config);
    await this.sh(node, `systemctl enable --quiet rke2-${role}; systemctl restart --no-block rke2-${role}`);
  }

  /** Waits until a service is up, as `systemctl start` would. */
  async active(node: TrialNode, role: "server" | "agent" = "server"): Promise<void> {
    await waitFor(
      `rke2-${role} on ${node.name} to be active`,
      async () => {
        const { stdout } = await this.hall
          .inside(node.id)
          .attempt(["systemctl", "is-active", `rke2-${role}`]);
        return stdout.trim() === "active" || stdout.trim();
      },
      { timeoutMs: DEADLINE_MS, intervalMs: 200 },
    );
  }

  /** Runs the program in the foreground and gives how it ended and what it said; one that goes on is ended. */
  async foreground(
    node: TrialNode,
    role: "server" | "agent",
    config: Record<string, unknown>,
    ...flags: string[]
  ): Promise<CommandResult> {
    await this.configure(node, config);
    return this.hall.inside(node.id).attempt(["timeout", "60", "rke2", role, ...flags]);
  }

  /** Runs a script in a machine that has to succeed. */
  async sh(node: TrialNode, script: string): Promise<string> {
    return this.hall.inside(node.id).run(["sh", "-euc", script]);
  }

  /** Runs kubectl on a server. */
  async kubectl(node: TrialNode, args: readonly string[], stdin?: string): Promise<CommandResult> {
    const kubectl = ["/var/lib/rancher/rke2/bin/kubectl", "--kubeconfig", "/etc/rancher/rke2/rke2.yaml"];
    return this.hall.inside(node.id).attempt([...kubectl, ...args], stdin === undefined ? {} : { stdin });
  }

  /** Reads an object or a list by kubectl. */
  async get(node: TrialNode, ...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.kubectl(node, ["get", "-o", "json", ...args]);
    if (code !== 0) throw new Failure(stderr);
    return parseJson(stdout);
  }

  /** Applies objects. */
  async apply(node: TrialNode, items: readonly unknown[]): Promise<void> {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, stderr } = await this.kubectl(node, ["apply", "-f", "-"], list);
    if (code !== 0) throw new Failure(stderr);
  }

  /** Waits until exactly these nodes are ready, asked of one of the servers. */
  async ready(from: TrialNode, nodes: readonly TrialNode[]): Promise<void> {
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
  async members(node: TrialNode): Promise<string[]> {
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
  async says(node: TrialNode, unit: string, words: RegExp, timeoutMs = DEADLINE_MS): Promise<void> {
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
