import path from "node:path";

/** Where everything of one sandbox is, below `.sandbox/<name>` in the project. */
export interface SandboxLayout {
  readonly name: string;
  readonly folder: string;
  /** Links to the tools, for PATH. */
  readonly bin: string;
  readonly controlPlane: string;
  /** The hub's API server, and its controllers. */
  readonly hub: string;
  /** Clusters with simulated nodes that a stack makes members of the hub, by their names. */
  readonly members: string;
  /** The AWS API, machines and volumes. */
  readonly cloud: string;
  /** Of the sandbox's own control plane. */
  readonly kubeconfig: string;
  /** Of the cluster that the stack built on the sandbox's machines, once it has. */
  readonly builtKubeconfig: string;
  /** Both in one file, for people and for the engine, whose provider takes one file only. */
  readonly mergedKubeconfig: string;
  /** The variables that name the images of our own programs. */
  readonly images: string;
  /** For logging in to the stack's machines: the key, the known hosts, and the settings for ssh. */
  readonly sshKey: string;
  readonly sshKnownHosts: string;
  readonly sshConfig: string;
  readonly pulumiHome: string;
  readonly pulumiState: string;
  readonly lock: string;
}

/** The layout of the sandbox of that name in a project. */
export function sandboxLayout(project: string, name: string): SandboxLayout {
  const all = path.join(project, ".sandbox");
  const folder = path.join(all, name);
  const controlPlane = path.join(folder, "controlplane");
  return {
    name,
    folder,
    bin: path.join(folder, "bin"),
    controlPlane,
    hub: path.join(folder, "hub"),
    members: path.join(folder, "members"),
    cloud: path.join(folder, "cloud"),
    builtKubeconfig: path.join(folder, "cluster.kubeconfig"),
    mergedKubeconfig: path.join(folder, "kubeconfig"),
    kubeconfig: path.join(controlPlane, "kubeconfigs", "admin.kubeconfig"),
    images: path.join(folder, "images.json"),
    sshKey: path.join(folder, "ssh.key"),
    sshKnownHosts: path.join(folder, "ssh.known-hosts"),
    sshConfig: path.join(folder, "ssh.conf"),
    pulumiHome: path.join(folder, "pulumi", "home"),
    pulumiState: path.join(folder, "pulumi", "state"),
    lock: path.join(all, `${name}.lock`),
  };
}
