import { ExitCode, Failure } from "../../lib/failure";
import type { ComponentName } from "./components";
import type { Lifetime, ProcessEndedError } from "../../lib/process";
import type { Progress } from "../../lib/progress";
import type { ControlPlaneTools } from "./tools";

/** How to start a control plane. */
export interface ControlPlaneOptions {
  /**
   * "hub-apiserver": the hub's API server, which brings its etcd and its controllers along and knows no pods; nothing else
   * runs then. @default "kube-apiserver"
   */
  server?: ServerName;
  /** Simulated nodes, simulated by kwok. A kept cluster is filled up to this number. @default 0 */
  nodes?: number;
  /** Where keys, data and logs live. Kept if given; otherwise a temporary directory that is removed on stop. */
  dir?: string;
  /** "owned" ends with this process, even if it is killed; "detached" lives on and needs `dir`. @default "owned" */
  lifetime?: Lifetime;
  /** What runs besides etcd and kube-apiserver. */
  components?: ComponentChoice;
  /** Whether etcd waits for the disk at each write. @default true if `dir` is given */
  durable?: boolean;
  /** Name of the cluster and the context in the kubeconfig. @default "fleetwright-sandbox" */
  name?: string;
  /** Entries of the authentication file's `jwt`: identity providers whose tokens the API server takes. @default none */
  jwt?: readonly object[];
  /** Shows each step of the start. */
  progress?: Progress;
  /** Called when a component ends by itself after the start. */
  onEnd?: (error: ProcessEndedError) => void;
  /** Ends the start and stops what was started. */
  signal?: AbortSignal;
  /** The time to become ready. @default 60000 */
  timeoutMs?: number;
  /** Binaries to use instead of those of the toolchain. */
  tools?: ControlPlaneTools;
}

/** The API servers that there are. */
export type ServerName = "kube-apiserver" | "hub-apiserver";

/** The components that a cluster can do without. */
export interface ComponentChoice {
  /** @default true */
  controllerManager?: boolean;
  /** @default true */
  scheduler?: boolean;
  /** @default true if there are nodes */
  kwok?: boolean;
}

/** Options with all defaults filled in. */
export interface Plan {
  server: ServerName;
  nodes: number;
  lifetime: Lifetime;
  components: ReadonlySet<ComponentName>;
  durable: boolean;
  name: string;
  timeoutMs: number;
}

/** Fills in defaults; everything that is wrong with the options is in one error. */
export function planOf(options: ControlPlaneOptions): Plan {
  const { nodes = 0, components = {}, lifetime = "owned", name = "fleetwright-sandbox" } = options;
  const { server = "kube-apiserver" } = options;
  const kwok = components.kwok ?? nodes > 0;
  const problems = [
    ...(Number.isInteger(nodes) && nodes >= 0 ? [] : [`nodes is ${nodes}: give a whole number, 0 or more`]),
    ...(nodes > 0 && !kwok
      ? [`nodes is ${nodes} but components.kwok is false: nodes are simulated by kwok`]
      : []),
    ...(nodes > 0 && components.controllerManager === false
      ? [`nodes is ${nodes} but components.controllerManager is false: without it nodes never become ready`]
      : []),
    ...(server === "hub-apiserver" && (nodes > 0 || Object.values(components).some(Boolean))
      ? ['server is "hub-apiserver" with nodes or components: it knows no pods, so leave both out']
      : []),
    ...(lifetime === "detached" && options.dir === undefined
      ? ['lifetime is "detached" without dir: give a directory by which it can be found and stopped']
      : []),
    ...(/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)
      ? []
      : [`name is ${JSON.stringify(name)}: use letters, digits, ".", "_" and "-"`]),
  ];
  if (problems.length > 0)
    throw new Failure(
      `Invalid options for the control plane:\n${problems.map((line) => `  ${line}`).join("\n")}`,
      ExitCode.usage,
    );
  return {
    server,
    nodes,
    lifetime,
    name,
    durable: options.durable ?? options.dir !== undefined,
    timeoutMs: options.timeoutMs ?? 60_000,
    components:
      server === "hub-apiserver"
        ? new Set([server])
        : new Set<ComponentName>([
            "etcd",
            "kube-apiserver",
            ...((components.controllerManager ?? true) ? (["kube-controller-manager"] as const) : []),
            ...((components.scheduler ?? true) ? (["kube-scheduler"] as const) : []),
            ...(kwok ? (["kwok"] as const) : []),
          ]),
  };
}
