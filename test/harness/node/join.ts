import { waitFor } from "../../../lib/deadline";
import { Failure } from "../../../lib/failure";
import type { MachineHost } from "../../../sandbox/machines/machine-host";
import { ensurePauseImage } from "../../../sandbox/machines/images";
import { nodeFiles } from "./files";
import type { NodeOptions } from "./options";

/**
 * Makes a running machine a node of a cluster: containerd, kubelet and kube-proxy run in it as services that also start
 * after a reboot. Returns when they run; that the node is ready, the API server says a little later.
 */
export async function joinNode(
  machineHost: MachineHost,
  machineId: string,
  options: NodeOptions,
): Promise<void> {
  const machine = (await machineHost.list()).find(({ id }) => id === machineId);
  if (machine?.state !== "running") {
    throw new Failure(
      `The machine ${machineId} is ${machine?.state ?? "unknown"}: only one that runs can join a cluster.`,
    );
  }
  const { spec } = machine;
  const facts = {
    name: options.name ?? spec.hostname,
    ip: spec.privateIp,
    providerId: `aws:///${spec.zone}/${spec.id}`,
  };
  await Promise.all([
    machineHost.inside(machineId).copy(options.tools.kubelet, "/usr/local/bin/kubelet", 0o755),
    machineHost.inside(machineId).copy(options.tools.kubeProxy, "/usr/local/bin/kube-proxy", 0o755),
    ...nodeFiles(options, facts).map(({ path, text, mode }) =>
      machineHost.inside(machineId).write(path, text, mode),
    ),
    machineHost.inside(machineId).run(["mkdir", "-p", "/etc/kubernetes/manifests"]),
  ]);
  await machineHost.networkServices.addRoute(options.podCidr, machineId);
  await machineHost.inside(machineId).run(["systemctl", "daemon-reload"]);
  await machineHost
    .inside(machineId)
    .run(["systemctl", "enable", "--quiet", "containerd", "kubelet", "kube-proxy", "fleetwright-node"]);
  await machineHost.inside(machineId).run(["systemctl", "start", "fleetwright-node", "containerd"]);
  await importImages(machineHost, machineId, [await ensurePauseImage(), ...(options.images ?? [])]);
  await machineHost.inside(machineId).run(["systemctl", "start", "kubelet", "kube-proxy"]);
}

/** Gives a node's containerd images from archives, so that pods with `imagePullPolicy: IfNotPresent` find them. */
export async function importImages(
  machineHost: MachineHost,
  machineId: string,
  archives: readonly string[],
): Promise<void> {
  const answers = async (): Promise<boolean> =>
    (await machineHost.inside(machineId).attempt(["ctr", "--connect-timeout", "1s", "version"])).code === 0;
  await waitFor(`containerd in ${machineId}`, answers, { timeoutMs: 120_000 });
  for (const archive of archives) {
    await machineHost
      .inside(machineId)
      .feed(archive, ["ctr", "--namespace", "k8s.io", "images", "import", "-"]);
  }
}
