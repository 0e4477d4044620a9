import { FlagReader, helpText as help, type Flag } from "../app/flags";
import type { Level } from "../runtime";

/** How a syncer runs. */
export interface Settings {
  /** Kubeconfig for the hub; undefined if `hubSecret` is given. */
  hub: string | undefined;
  /** The Secret of the member, as namespace and name, in which the certificate for the hub is kept instead of a file. */
  hubSecret: { namespace: string; name: string } | undefined;
  /** Kubeconfig with a one-time token for the hub: then `hub` is where the one with the certificate is kept. */
  bootstrap: string | undefined;
  /** Kubeconfig for the member; without it, the pod's own credentials. */
  member: string | undefined;
  cluster: string;
  identity: string;
  host: string | undefined;
  port: number;
  perSecond: number;
  burst: number;
  inFlight: number;
  logLevel: Level;
}

/** Every flag; each can be given by the environment too, as `FLEETWRIGHT_` and its name in capitals. */
export const FLAGS = {
  hub: { value: "file", default: "", describes: "a kubeconfig for the hub" },
  bootstrap: {
    value: "file",
    default: "",
    describes: "what npm run hub -- register wrote; --hub is then where the syncer keeps its certificate",
  },
  "hub-secret": {
    value: "namespace/name",
    default: "",
    describes:
      "with --bootstrap, instead of --hub: the Secret of the member in which the certificate is kept",
  },
  member: {
    value: "file",
    default: "",
    describes: "a kubeconfig for the member; without it, the pod's credentials",
  },
  cluster: { value: "name", default: "", describes: "the member's name on the hub" },
  identity: { value: "name", default: "", describes: "this process; by default the pod's name" },
  host: {
    value: "address",
    default: "",
    describes: "where probes and metrics are served; by default everywhere",
  },
  port: { value: "number", default: "8080", describes: "the port for probes and metrics; 0 for any" },
  qps: { value: "number", default: "200", describes: "requests a second to each of the two API servers" },
  burst: { value: "number", default: "400", describes: "requests at once after a quiet time" },
  "in-flight": { value: "number", default: "16", describes: "objects that are worked on at once" },
  "log-level": { value: "level", default: "info", describes: "debug, info, warn or error" },
} as const satisfies Record<string, Flag>;

/** Reads the flags, then the environment, then the defaults. Throws one error with everything that is wrong. */
export function readSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const flags = new FlagReader(FLAGS, argv, env);
  const settings: Settings = {
    hub: flags.text("hub") || undefined,
    hubSecret: secretOf(flags.text("hub-secret")),
    bootstrap: flags.text("bootstrap") || undefined,
    member: flags.text("member") || undefined,
    cluster: flags.text("cluster"),
    identity: flags.text("identity") || (env.POD_NAME ?? env.HOSTNAME ?? "syncer"),
    host: flags.text("host") || undefined,
    port: flags.number("port", 0, 65535),
    perSecond: flags.number("qps", 1),
    burst: flags.number("burst", 1),
    inFlight: flags.number("in-flight", 1, 256),
    logLevel: flags.level("log-level"),
  };
  const { hub, hubSecret, bootstrap } = settings;
  const secret = flags.text("hub-secret");
  if (secret !== "" && hubSecret === undefined)
    flags.problems.push(
      `--hub-secret is ${JSON.stringify(secret)}: give a namespace and a name, such as fleetwright-system/west-hub`,
    );
  if (hub === undefined && secret === "")
    flags.problems.push("--hub is missing: give a kubeconfig for the hub");
  if (hub !== undefined && secret !== "")
    flags.problems.push("--hub and --hub-secret are both given: keep the certificate in one place");
  if (secret !== "" && bootstrap === undefined)
    flags.problems.push("--hub-secret is given without --bootstrap: give the file with the one-time token");
  if (!/^[a-z0-9](?:[-a-z0-9]{0,53}[a-z0-9])?$/.test(settings.cluster))
    flags.problems.push(
      `--cluster is ${JSON.stringify(settings.cluster)}: give the name of a Cluster on the hub, as kubectl get clusters shows it there`,
    );
  flags.finish("syncer");
  return settings;
}

function secretOf(text: string): Settings["hubSecret"] {
  const [, namespace, name] = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)$/.exec(text) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** What `--help` prints. */
export function helpText(): string {
  return help(
    "The syncer keeps one member of a hub in step with what the hub places there.",
    FLAGS,
    [],
  ).replace(/\nControllers:\n+$/, "");
}
