import { rm, writeFile } from "node:fs/promises";
import { imagesOf } from "../../sandbox/cloud";
import { startCloud, type Cloud } from "../../sandbox/cloud/cloud";
import { waitFor } from "../../lib/deadline";
import { Failure } from "../../lib/failure";
import { isObject, listAt, parseJson, textAt } from "../../lib/json";
import type { MachineHost } from "../../sandbox/machines";
import type { CommandResult } from "../../sandbox/machines/command";
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

/** The stack `dev` of the project on a cloud of this process's own, and the cluster that comes of it. */
export class ClusterCloud {
  private constructor(
    readonly dir: string,
    readonly cloud: Cloud,
    readonly machineHost: MachineHost,
    readonly program: StackProgram,
    private readonly kubectlPath: string,
  ) {}

  /**
   * Brings up a cloud whose machines can run these releases, and makes the stack; nothing is in it yet. With `programs`, the
   * coordinator and the agent of this checkout are packed, and the stack installs them.
   */
  static async open({
    releases = [DEFAULT_RELEASE],
    programs = false,
  }: { releases?: readonly string[]; programs?: boolean } = {}): Promise<ClusterCloud> {
    const dir = testCloudFolder();
    const { kubectl } = await ensureTools(["kubectl"]);
    const cloud = await startCloud({ dir, rke2: releases });
    const { machineHost, reason } = cloud;
    if (machineHost === undefined) throw new Failure(`there are no machines: ${reason ?? ""}`);
    const images = programs ? await ensureWorkloadImages(imagesOf(dir)) : {};
    const environment = { ...cloud.aws.environment, ...images, AWS_ENDPOINT_URL: cloud.endpoint };
    const program = await StackProgram.open("dev", environment, (argv) => machineHost.command(argv));
    return new ClusterCloud(dir, cloud, machineHost, program, kubectl.path);
  }

  /** Changes what the stack asks of its cluster. */
  describe(change: (cluster: Record<string, unknown>) => void): Promise<void> {
    return this.program.configure((config) => {
      const cluster = config["fleetwright:cluster"];
      if (!isObject(cluster)) throw new Failure("the stack dev describes no cluster");
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

  /** Runs kubectl through the load balancer, however it ends. */
  kubectl(args: readonly string[], stdin?: string): Promise<CommandResult> {
    const argv = [this.kubectlPath, "--kubeconfig", this.kubeconfig, "--request-timeout", "20s", ...args];
    return this.machineHost.exec(argv, stdin === undefined ? {} : { stdin });
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

  /** The members of etcd as one server's etcd lists them: `id name peer URL`. */
  async members(server = "dev-server-0"): Promise<string[]> {
    const tls = "/var/lib/rancher/rke2/server/tls/etcd";
    const text = await this.sh(
      server,
      `/var/lib/rancher/rke2/bin/etcdctl --cacert ${tls}/server-ca.crt --cert ${tls}/client.crt --key ${tls}/client.key member list --write-out json`,
    );
    return listAt(parseJson(text), "members")
      .map((member) => `${textAt(member, "name") ?? ""} ${listAt(member, "peerURLs").join()}`)
      .sort();
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
