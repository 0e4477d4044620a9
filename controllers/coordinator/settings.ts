import { parseArgs } from "node:util";
import { SYSTEM_NAMESPACE } from "../../api";
import type { Level } from "../runtime";
import { parseFailpoint } from "./failpoint";

/** How the coordinator runs. */
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
  logLevel: Level;
  /** The write before which the process kills itself; for tests of crashes. */
  failpoint: number | undefined;
}

interface Flag {
  value: string;
  default: string;
  describes: string;
}

/** Every flag; each can be given by the environment too, as `FLEETWRIGHT_` and its name in capitals. */
export const FLAGS = {
  kubeconfig: { value: "file", default: "", describes: "a kubeconfig; without it, the pod's credentials" },
  namespace: { value: "name", default: SYSTEM_NAMESPACE, describes: "the namespace of the product" },
  controllers: {
    value: "list",
    default: "*",
    describes: "which controllers run: names, * for all, -name for not",
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
  qps: { value: "number", default: "200", describes: "requests a second to the API server" },
  burst: { value: "number", default: "400", describes: "requests at once after a quiet time" },
  concurrency: { value: "number", default: "16", describes: "keys that a controller works on at once" },
  "log-level": { value: "level", default: "info", describes: "debug, info, warn or error" },
  failpoint: { value: "write=N", default: "", describes: "for tests: die before the Nth write" },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof FLAGS;
const NAMES = Object.keys(FLAGS).filter((name): name is FlagName => name in FLAGS);
const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

/** The command line is wrong in one or more ways. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads the flags, then the environment, then the defaults. All that is wrong is told in one error. */
export function readSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): Settings {
  const given = flagsIn(argv);
  const problems: string[] = [];
  const text = (name: FlagName): string =>
    given.get(name) ?? env[`FLEETWRIGHT_${name.toUpperCase().replace("-", "_")}`] ?? FLAGS[name].default;
  const number = (name: FlagName, least: number, most = 1_000_000): number => {
    const value = Number(text(name));
    if (text(name) === "" || !Number.isInteger(value) || value < least || value > most)
      problems.push(
        `--${name} is ${JSON.stringify(text(name))}: give a whole number from ${least} to ${most}`,
      );
    return value;
  };
  const failpoint = (): number | undefined => {
    if (text("failpoint") === "") return undefined;
    try {
      return parseFailpoint(text("failpoint"));
    } catch {
      problems.push(`--failpoint is ${JSON.stringify(text("failpoint"))}: give write=N, with N from 1`);
      return undefined;
    }
  };
  const level = LEVELS.find((candidate) => candidate === text("log-level"));
  if (level === undefined)
    problems.push(`--log-level is ${JSON.stringify(text("log-level"))}: give one of ${LEVELS.join(", ")}`);
  const elect = text("leader-elect");
  if (elect !== "true" && elect !== "false")
    problems.push(`--leader-elect is ${JSON.stringify(elect)}: give true or false`);
  const settings: Settings = {
    kubeconfig: text("kubeconfig") || undefined,
    namespace: text("namespace"),
    controllers: chooseControllers(text("controllers"), known, problems),
    leaderElect: elect === "true",
    identity: text("identity") || (env.POD_NAME ?? env.HOSTNAME ?? "coordinator"),
    host: text("host") || undefined,
    port: number("port", 0, 65535),
    perSecond: number("qps", 1),
    burst: number("burst", 1),
    concurrency: number("concurrency", 1, 256),
    logLevel: level ?? "info",
    failpoint: failpoint(),
  };
  if (problems.length > 0)
    throw new UsageError(`The coordinator cannot start:\n${problems.map((line) => `  ${line}`).join("\n")}`);
  return settings;
}

function flagsIn(argv: readonly string[]): Map<string, string> {
  const options = Object.fromEntries(NAMES.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true });
    return new Map(
      Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nSee --help.`);
  }
}

/** Which of the known controllers a list such as `*,-upgrades` chooses. */
export function chooseControllers(list: string, known: readonly string[], problems: string[] = []): string[] {
  const words = list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  for (const word of words) {
    const name = word.replace(/^-/, "");
    if (word !== "*" && !known.includes(name))
      problems.push(`--controllers names ${JSON.stringify(name)}: there are ${known.join(", ")}`);
  }
  const chosen = known.filter(
    (name) => (words.includes("*") || words.includes(name)) && !words.includes(`-${name}`),
  );
  if (chosen.length === 0 && problems.length === 0)
    problems.push(
      `--controllers is ${JSON.stringify(list)}, which chooses none: there are ${known.join(", ")}`,
    );
  return chosen;
}

/** What `--help` prints. */
export function helpText(parts: readonly { name: string; describes: string }[]): string {
  const flags = NAMES.map((name) => {
    const { value, describes, default: otherwise } = FLAGS[name];
    const shown = otherwise === "" ? "" : ` (default ${otherwise})`;
    return `  ${`--${name} <${value}>`.padEnd(26)} ${describes}${shown}`;
  });
  const controllers = parts.map(({ name, describes }) => `  ${name.padEnd(26)} ${describes}`);
  return [
    "The coordinator keeps a cluster in its declared shape.",
    "",
    "Flags, each also as FLEETWRIGHT_<NAME> in the environment:",
    ...flags,
    "",
    "Controllers:",
    ...controllers,
    "",
  ].join("\n");
}
