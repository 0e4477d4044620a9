// The agent's settings: its flags, their defaults and their validation.
import { SYSTEM_NAMESPACE } from "../../api/names";
import { RKE2_RELEASES } from "../../lib/node-scripts/install-rke2";
import { chooseControllers, FlagReader, helpText as help, type Flag } from "../app/flags";
import { podServer, SERVICE_ACCOUNT_FOLDER, type Level } from "../runtime";
import { HOST_MOUNT, METRICS_PORT } from "../../api/agent-pod-requirements";

/** How the agent runs. */
export interface Settings {
  /** The API server's address. */
  server: string;
  /** The folder with the token and the CA certificate. */
  credentials: string;
  namespace: string;
  nodeName: string;
  /** Where the host's root is mounted. */
  hostRoot: string;
  /** The process table that shows the host's processes. */
  proc: string;
  /** The folder of homes on the host. */
  homesFolder: string;
  endSessions: boolean;
  onShutdown: "keep" | "lock";
  /** Where the instance metadata service is; empty for none. */
  metadataUrl: string;
  rke2Releases: string;
  insecureRke2Releases: boolean;
  controllers: readonly string[];
  host: string | undefined;
  port: number;
  /** A folder with the certificate of probes and metrics. */
  tls: string | undefined;
  perSecond: number;
  burst: number;
  logLevel: Level;
  /** The write, to the server or to the host, before which the process kills itself; for tests of crashes. */
  failpoint: number | undefined;
}

/** Every flag; each can also be set as FLEETWRIGHT_<NAME> in the environment. */
export const FLAGS = {
  node: { value: "name", default: "", describes: "the node's name; by default $NODE_NAME" },
  "host-root": { value: "folder", default: HOST_MOUNT, describes: "where the host's root is mounted" },
  proc: { value: "folder", default: "/proc", describes: "the process table of the host" },
  homes: { value: "folder", default: "/home", describes: "the folder of home directories on the host" },
  "end-sessions": {
    value: "bool",
    default: "true",
    describes: "whether the processes of a deleted User are killed",
  },
  "on-shutdown": {
    value: "action",
    default: "keep",
    describes: "what happens to accounts when the agent stops: keep or lock",
  },
  "metadata-url": {
    value: "url",
    default: "http://169.254.169.254",
    describes: 'the instance metadata service; "none" to use none',
  },
  "rke2-releases": {
    value: "url",
    default: RKE2_RELEASES,
    describes: "where RKE2 releases are downloaded from",
  },
  "insecure-rke2-releases": {
    value: "bool",
    default: "false",
    describes: "for the sandbox: whether RKE2 releases may be downloaded by plain http",
  },
  server: { value: "url", default: "", describes: "the API server; by default the pod's in-cluster address" },
  credentials: {
    value: "folder",
    default: SERVICE_ACCOUNT_FOLDER,
    describes: "the folder with token and ca.crt",
  },
  namespace: { value: "name", default: SYSTEM_NAMESPACE, describes: "the namespace of the product" },
  controllers: {
    value: "list",
    default: "*",
    describes: "which controllers run: names, * for all, -name to exclude",
  },
  host: {
    value: "address",
    default: "",
    describes: "the address that probes and metrics are served on; by default all",
  },
  port: {
    value: "number",
    default: String(METRICS_PORT),
    describes: "the port for probes and metrics; 0 for any",
  },
  tls: {
    value: "folder",
    default: "",
    describes: "a folder with tls.crt and tls.key, for probes and metrics by HTTPS; by default HTTP",
  },
  qps: { value: "number", default: "20", describes: "requests a second to the API server" },
  burst: { value: "number", default: "40", describes: "requests in a burst" },
  "log-level": { value: "level", default: "info", describes: "debug, info, warn or error" },
  failpoint: { value: "write=N", default: "", describes: "for tests: exit before the Nth write" },
} as const satisfies Record<string, Flag>;

/** Reads the flags, then the environment, then the defaults. All invalid values are reported in one error. */
export function readSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Settings {
  const flags = new FlagReader(FLAGS, argv, env);
  const folder = (name: "host-root" | "proc" | "homes" | "credentials"): string => {
    const text = flags.text(name);
    if (!text.startsWith("/"))
      flags.problems.push(`--${name} is ${JSON.stringify(text)}: use an absolute path`);
    return text.length > 1 ? text.replace(/\/+$/, "") : text;
  };
  const nodeName = flags.text("node") || (env.NODE_NAME ?? "");
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(nodeName))
    flags.problems.push(`--node is ${JSON.stringify(nodeName)}: give the node's name, or set NODE_NAME`);
  const server = flags.text("server") || (podServer(env) ?? "");
  if (!server.startsWith("https://"))
    flags.problems.push(
      `--server is ${JSON.stringify(server)}: give an https address, or set KUBERNETES_SERVICE_HOST`,
    );
  const insecureRke2Releases =
    flags.oneOf("insecure-rke2-releases", ["true", "false"], "give true or false") === "true";
  const rke2Releases = flags.text("rke2-releases");
  if (!rke2Releases.startsWith("https://") && !insecureRke2Releases)
    flags.problems.push(
      `--rke2-releases is ${JSON.stringify(rke2Releases)}: give an https address, because what comes from there runs as root`,
    );
  const metadataUrl = flags.text("metadata-url");
  const settings: Settings = {
    server,
    credentials: folder("credentials"),
    namespace: flags.text("namespace"),
    nodeName,
    hostRoot: folder("host-root"),
    proc: folder("proc"),
    homesFolder: folder("homes"),
    endSessions: flags.oneOf("end-sessions", ["true", "false"], "give true or false") === "true",
    onShutdown: flags.oneOf("on-shutdown", ["keep", "lock"], "give keep or lock"),
    metadataUrl: metadataUrl === "none" ? "" : metadataUrl.replace(/\/+$/, ""),
    rke2Releases,
    insecureRke2Releases,
    controllers: chooseControllers(flags.text("controllers"), known, flags.problems),
    host: flags.text("host") || undefined,
    port: flags.number("port", 0, 65535),
    tls: flags.text("tls") || undefined,
    perSecond: flags.number("qps", 1),
    burst: flags.number("burst", 1),
    logLevel: flags.level("log-level"),
    failpoint: flags.failpoint("failpoint"),
  };
  flags.finish("agent");
  return settings;
}

/** What `--help` prints. */
export function helpText(controllers: readonly { name: string; description: string }[]): string {
  return help(
    "The agent manages accounts, upgrades and conditions of the node that it runs on.",
    FLAGS,
    controllers,
  );
}
