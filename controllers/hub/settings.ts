import { SYSTEM_NAMESPACE } from "../../api";
import { chooseControllers, FlagReader, helpText as help, type Flag } from "../app/flags";
import type { Level } from "../runtime";

/** How the hub's controllers run. */
export interface Settings {
  /** Without it, the pod's own credentials. */
  kubeconfig: string | undefined;
  namespace: string;
  controllers: readonly string[];
  leaderElect: boolean;
  identity: string;
  host: string | undefined;
  port: number;
  perSecond: number;
  burst: number;
  concurrency: number;
  /** Whether syncers of clusters in the mode push run in this process. */
  push: boolean;
  /** 0 for the time that the number of clusters asks for. */
  heartbeatSeconds: number;
  /** How long the end of a cluster waits for its syncer. */
  endWithinSeconds: number;
  /** How often a cluster is asked whether its kinds changed. */
  pullSeconds: number;
  logLevel: Level;
}

/** Every flag; each can be given by the environment too, as `FLEETWRIGHT_` and its name in capitals. */
export const FLAGS = {
  kubeconfig: {
    value: "file",
    default: "",
    describes: "a kubeconfig for the hub; without it, the pod's credentials",
  },
  namespace: {
    value: "name",
    default: SYSTEM_NAMESPACE,
    describes: "the namespace of the product on the hub",
  },
  controllers: {
    value: "list",
    default: "*",
    describes: "which controllers run: names, * for all, -name for not",
  },
  syncers: {
    value: "push|none",
    default: "push",
    describes: "whether the syncers of clusters in the mode push run in this process",
  },
  "leader-elect": {
    value: "bool",
    default: "true",
    describes: "whether to work only while holding the lease",
  },
  identity: {
    value: "name",
    default: "",
    describes: "this process among its replicas; by default the pod's name",
  },
  host: {
    value: "address",
    default: "",
    describes: "where probes and metrics are served; by default everywhere",
  },
  port: { value: "number", default: "8080", describes: "the port for probes and metrics; 0 for any" },
  qps: { value: "number", default: "500", describes: "requests a second to the hub" },
  burst: { value: "number", default: "1000", describes: "requests at once after a quiet time" },
  concurrency: { value: "number", default: "16", describes: "keys that a controller works on at once" },
  heartbeat: {
    value: "seconds",
    default: "0",
    describes: "how often a cluster says that it lives; 0: every 10 s, with many clusters more rarely",
  },
  "remove-timeout": {
    value: "seconds",
    default: "600",
    describes: "how long the removal of a cluster waits for a member that does not answer",
  },
  "import-interval": {
    value: "seconds",
    default: "30",
    describes: "how often a cluster is asked whether its kinds changed",
  },
  "log-level": { value: "level", default: "info", describes: "debug, info, warn or error" },
} as const satisfies Record<string, Flag>;

/** Reads the flags, then the environment, then the defaults. Throws one error with everything that is wrong. */
export function readSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Settings {
  const flags = new FlagReader(FLAGS, argv, env);
  const settings: Settings = {
    kubeconfig: flags.text("kubeconfig") || undefined,
    namespace: flags.text("namespace"),
    controllers: chooseControllers(flags.text("controllers"), known, flags.problems),
    leaderElect: flags.oneOf("leader-elect", ["true", "false"], "give true or false") === "true",
    identity: flags.text("identity") || (env.POD_NAME ?? env.HOSTNAME ?? "hub"),
    host: flags.text("host") || undefined,
    port: flags.number("port", 0, 65535),
    perSecond: flags.number("qps", 1),
    burst: flags.number("burst", 1),
    concurrency: flags.number("concurrency", 1, 256),
    push: flags.oneOf("syncers", ["push", "none"], "give push or none") === "push",
    heartbeatSeconds: flags.number("heartbeat", 0, 3600),
    endWithinSeconds: flags.number("remove-timeout", 1, 86_400),
    pullSeconds: flags.number("import-interval", 1, 3600),
    logLevel: flags.level("log-level"),
  };
  flags.finish("hub's controllers");
  return settings;
}

/** What `--help` prints. */
export function helpText(controllers: readonly { name: string; description: string }[]): string {
  return help("The hub's controllers spread work over the clusters of a fleet.", FLAGS, controllers);
}
