import { rm, writeFile } from "node:fs/promises";
import { imagesOf } from "../../sandbox/cloud";
import { startCloud, type Cloud } from "../../sandbox/cloud/cloud";
import { AWS_PORT } from "../../sandbox/cloud/ports";
import { waitFor } from "../../lib/deadline";
import { Failure } from "../../lib/failure";
import { isObject, listAt, parseJson, textAt } from "../../lib/json";
import { SERVICES_ADDRESS, type MachineHost } from "../../sandbox/machines";
import { attempt, type CommandResult } from "../../sandbox/machines/command";
import { DEFAULT_RELEASE } from "../../sandbox/machines/rke2";
import { testCloudFolder } from "../../sandbox/machines/testing/machine-host";
import { ensureTools } from "../../sandbox/toolchain";
import { ensureWorkloadImages } from "../../sandbox/workload-images";
import { StackProgram } from "./stack-program";

/** A node as the API shows it. */
export interface SeenNode {
  readonly name: string;
  readonly pool: string;
  readonly isReady: boolean;
  readonly version: string;
}

/** What comes up on a cloud. */
export interface ClusterCloudOptions {
  /** Which stack of the project. @default "dev" */
  readonly stack?: string;
  /** Where Pulumi, kubectl and who writes run: at the router of the VPC, or where no VPC is. @default "vpc" */
  readonly from?: "vpc" | "outside";
  /** The releases of RKE2 that machines can run. @default [DEFAULT_RELEASE] */
  readonly releases?: readonly string[];
  /** Whether the coordinator and the agent of this checkout are packed, and installed by the stack. @default false */
  readonly programs?: boolean;
}

/** A stack of the project on a cloud of this process's own, and the cluster that comes of it. */
export class ClusterCloud {
  private constructor(
    readonly dir: string,
    readonly cloud: Cloud,
    readonly machineHost: MachineHost,
    readonly program: StackProgram,
    private readonly kubectlPath: string,
    private readonly options: Required<ClusterCloudOptions>,
  ) {}

  /** Brings up a cloud, and makes the stack; nothing is in it yet. */
  static async open(given: ClusterCloudOptions = {}): Promise<ClusterCloud> {
    const options = {
      ...{ stack: "dev", from: "vpc" as const, releases: [DEFAULT_RELEASE], programs: false },
      ...given,
    };
    const { stack, releases, programs } = options;
    const dir = testCloudFolder();
    const { kubectl } = await ensureTools(["kubectl"]);
    const cloud = await startCloud({ dir, rke2: releases });
    const { machineHost, reason } = cloud;
    if (machineHost === undefined) throw new Failure(`there are no machines: ${reason ?? ""}`);
    const images = programs ? await ensureWorkloadImages(imagesOf(dir)) : {};
    const isOutside = options.from === "outside";
    const endpoint = isOutside ? `http://${SERVICES_ADDRESS}:${AWS_PORT}` : cloud.endpoint;
    const environment = { ...cloud.aws.environment, ...images, AWS_ENDPOINT_URL: endpoint };
    const inside = (argv: readonly string[]): string[] =>
      isOutside ? machineHost.outside(argv) : machineHost.command(argv);
    const program = await StackProgram.open(stack, environment, inside);
    return new ClusterCloud(dir, cloud, machineHost, program, kubectl.path, options);
  }

  /** The command line that runs another one where Pulumi and kubectl run. */
  command(argv: readonly string[]): string[] {
    return this.options.from === "outside" ? this.machineHost.outside(argv) : this.machineHost.command(argv);
  }

  /** Changes what the stack asks of its cluster. */
  describe(change: (cluster: Record<string, unknown>) => void): Promise<void> {
    return this.program.configure((config) => {
      const cluster = config["fleetwright:cluster"];
      if (!isObject(cluster)) throw new Failure(`the stack ${this.options.stack} describes no cluster`);
      change(cluster);
    });
  }

  /** Brings the stack into the declared shape and counts what that took, by kind. */
  async up(...options: string[]): Promise<Record<string, number>> {
    const changes = await this.program.changes("up", ...options);
    const { kubeconfig } = await this.program.outputs();
    await writeFile(this.kubeconfig, String(kubeconfig), { mode: 0o600 });
    return changes;
  }

  /** The cluster's kubeconfig, as of the last update. */
  get kubeconfig(): string {
    return this.program.engine.path("cluster.kubeconfig");
  }

  /** Runs kubectl as the kubeconfig says, however it ends. */
  kubectl(args: readonly string[], stdin?: string): Promise<CommandResult> {
    const argv = [this.kubectlPath, "--kubeconfig", this.kubeconfig, "--request-timeout", "20s", ...args];
    return attempt(this.command(argv), stdin === undefined ? {} : { stdin });
  }

  /** Reads an object or a list. */
  async get(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.kubectl(["get", "--output", "json", ...args]);
    if (code !== 0) throw new Failure(stderr);
    return parseJson(stdout);
  }

  /** Applies objects. */
  async apply(items: readonly unknown[]): Promise<void> {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { code, stderr } = await this.kubectl(["apply", "--filename", "-"], list);
    if (code !== 0) throw new Failure(stderr);
  }

  /** The nodes, by name. */
  async nodes(): Promise<SeenNode[]> {
    return listAt(await this.get("nodes"), "items").map((node) => ({
      name: textAt(node, "metadata", "name") ?? "",
      pool: textAt(node, "metadata", "labels", "fleetwright.dev/node-pool") ?? "",
      isReady: listAt(node, "status", "conditions").some(
        (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
      ),
      version: textAt(node, "status", "nodeInfo", "kubeletVersion") ?? "",
    }));
  }

  /** Waits until so many pods with a label are ready, and gives their names and addresses. */
  async readyPods(label: string, count: number): Promise<{ name: string; ip: string; node: string }[]> {
    let pods: { name: string; ip: string; node: string }[] = [];
    await waitFor(
      `${count} ready pods with ${label}`,
      async () => {
        const items = listAt(await this.get("pods", "--all-namespaces", "--selector", label), "items");
        pods = items.filter(isReadyPod).map((pod) => ({
          name: textAt(pod, "metadata", "name") ?? "",
          ip: textAt(pod, "status", "podIP") ?? "",
          node: textAt(pod, "spec", "nodeName") ?? "",
        }));
        return pods.length === count || `${pods.length} of ${items.length} are ready`;
      },
      { timeoutMs: 180_000, intervalMs: 300 },
    );
    return pods;
  }

  /** The id of the machine that has a name, such as `dev-server-1`. */
  async machine(name: string): Promise<string> {
    const found = (await this.machineHost.list()).filter(({ spec }) => spec.tags.Name === name);
    const [only] = found;
    if (only === undefined || found.length > 1)
      throw new Failure(`${found.length} machines have the name ${name}`);
    return only.id;
  }

  /** Runs a script as root on the machine that has a name; it has to succeed. */
  async sh(name: string, script: string): Promise<string> {
    return this.machineHost.inside(await this.machine(name)).run(["bash", "-euc", script]);
  }

  /** The members of etcd as one server's etcd lists them: `name peerURL`. */
  async members(server = `${this.options.stack}-server-0`): Promise<string[]> {
    const text = await this.#etcdctl(server, "member list --write-out json");
    return listAt(parseJson(text), "members")
      .map((member) => `${textAt(member, "name") ?? ""} ${listAt(member, "peerURLs").join()}`)
      .sort();
  }

  /** Makes the member of etcd on one server the leader. */
  async lead(server: string): Promise<void> {
    const address = (await this.machineHost.list()).find(({ spec }) => spec.tags.Name === server)?.privateIp;
    // As text: the ids are too long for numbers of JSON.
    const status = await this.#etcdctl(server, "endpoint status --cluster --write-out fields");
    const all = status.split(/\n(?="ClusterID")/).map((part) => ({
      id: /"MemberID" : (\d+)/.exec(part)?.[1] ?? "",
      leader: /"Leader" : (\d+)/.exec(part)?.[1] ?? "",
      endpoint: /"Endpoint" : "?([^"\n]+)/.exec(part)?.[1] ?? "",
    }));
    const [wanted, leading] = [
      all.find(({ endpoint }) => new URL(endpoint).hostname === address),
      all.find(({ id, leader }) => id === leader),
    ];
    if (wanted === undefined || leading === undefined) throw new Failure(`etcd said: ${status}`);
    if (wanted === leading) return;
    const id = BigInt(wanted.id).toString(16);
    await this.#etcdctl(server, `move-leader ${id} --endpoints ${leading.endpoint}`);
  }

  #etcdctl(server: string, command: string): Promise<string> {
    const tls = "/var/lib/rancher/rke2/server/tls/etcd";
    const login = `--cacert ${tls}/server-ca.crt --cert ${tls}/client.crt --key ${tls}/client.key`;
    return this.sh(server, `/var/lib/rancher/rke2/bin/etcdctl ${login} ${command}`);
  }

  /** Ends everything and removes every trace. */
  async close(): Promise<void> {
    await this.program.close();
    await this.cloud.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** Whether a pod is ready and is to stay. */
export function isReadyPod(pod: unknown): boolean {
  return (
    textAt(pod, "metadata", "deletionTimestamp") === undefined &&
    listAt(pod, "status", "conditions").some(
      (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
    )
  );
}
