import { existsSync } from "node:fs";
import path from "node:path";
import { awsVariables } from "./aws/variables";

/**
 * The passphrase of every sandbox. It is public on purpose: the stack file of the sandbox is committed, and whoever can
 * read the sandbox's state can read the keys that lie beside it as well (docs/decisions/0005).
 */
export const SANDBOX_PASSPHRASE = "fleetwright-sandbox-is-not-secret";

/** The engine wants a user's name. In a container with a user id of its own, neither the system nor USER has one. */
const NOBODY = "fleetwright";

/** Where the parts of one sandbox lie, below `.sandbox/<name>` in the project. */
export interface SandboxLayout {
  readonly name: string;
  readonly folder: string;
  /** Links to the tools, for PATH. */
  readonly bin: string;
  readonly controlPlane: string;
  /** The AWS API, machines and volumes. */
  readonly cloud: string;
  /** Of the sandbox's own control plane. */
  readonly kubeconfig: string;
  /** Of the cluster that the stack built on the sandbox's machines, once it did. */
  readonly builtKubeconfig: string;
  /** Both in one file, for people and for the engine, whose provider takes one file only. */
  readonly mergedKubeconfig: string;
  /** The variables that name the images of our own programs. */
  readonly images: string;
  /** How machines of the stack are logged in to: the key, what is known of the machines, and the settings for ssh. */
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

/** What the stack finds in a sandbox: where the AWS API is, and what names the images of our own programs. */
export interface CloudPlace {
  readonly endpoint: string;
  readonly region: string;
  readonly images: Readonly<Record<string, string>>;
}

/** Variables that would lead AWS's tools elsewhere, and are taken away in a sandbox. */
const FOREIGN = ["AWS_PROFILE", "AWS_SESSION_TOKEN"] as const;

/** What plain `pulumi` and `kubectl` need to work on a sandbox, PATH aside. */
export function sandboxVariables(layout: SandboxLayout, cloud?: CloudPlace): Record<string, string> {
  return {
    ...(cloud === undefined ? {} : { ...awsVariables(cloud), ...cloud.images }),
    FLEETWRIGHT_SANDBOX: layout.name,
    KUBECONFIG: layout.mergedKubeconfig,
    PULUMI_BACKEND_URL: `file://${layout.pulumiState}`,
    PULUMI_CONFIG_PASSPHRASE: SANDBOX_PASSPHRASE,
    PULUMI_HOME: layout.pulumiHome,
    // The plugins are laid in PULUMI_HOME; without them the engine would ask a download site that may not answer.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...policyVariables(path.resolve(layout.folder, "..", "..")),
  };
}

/** Lets every preview and update be judged by the project's policies, without an option (docs/policy.md). */
function policyVariables(project: string): Record<string, string> {
  const pack = path.join(project, "policy", "fleetwright");
  return existsSync(pack) ? { PULUMI_OPTION_POLICY_PACK: pack } : {};
}

/** The environment of a program that works on a sandbox. */
export function sandboxEnvironment(
  layout: SandboxLayout,
  cloud?: CloudPlace,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !FOREIGN.some((foreign) => foreign === name));
  return {
    ...Object.fromEntries(kept),
    USER: env.USER ?? NOBODY,
    ...sandboxVariables(layout, cloud),
    PATH: [layout.bin, env.PATH ?? ""].join(path.delimiter),
  };
}

/** The same as lines for a POSIX shell; running them twice changes nothing more. */
export function shellExports(layout: SandboxLayout, cloud?: CloudPlace): string {
  const bin = quote(layout.bin);
  return [
    `case ":$PATH:" in *:${bin}:*) ;; *) export PATH=${bin}:"$PATH" ;; esac`,
    `export USER="\${USER:-${NOBODY}}"`,
    `unset ${FOREIGN.join(" ")}`,
    ...Object.entries(sandboxVariables(layout, cloud)).map(
      ([name, value]) => `export ${name}=${quote(value)}`,
    ),
  ].join("\n");
}

/** A word that a shell reads as it is. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
