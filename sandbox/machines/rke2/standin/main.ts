// The program `rke2` of the sandbox's stand-in: reads the configuration and runs a command.
import { readdir, readFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { errorMessage, Failure } from "../../../../lib/failure";
import { readIfPresent } from "../../../../lib/files";
import { runAgent } from "./agent";
import { resetCluster } from "./cluster-reset";
import { parseConfig, type Config, type ConfigFile, type Role } from "./config";
import { ProcessGroup } from "./process-group";
import { CONFIG_FILE, layoutOf } from "./layout";
import { log, setDebug } from "./log";
import { machineFacts } from "./machine-facts";
import { notifyReady } from "./notify";
import { ownRelease, STAND_IN, versionText } from "./release";
import { runServer } from "./server";
import { ignoredKeys, settingsOf } from "./settings";
import { snapshotTable, Snapshots } from "./snapshots";

const STOP_ORDER = [
  ["kubelet", "kube-proxy", "kube-scheduler", "kube-controller-manager"],
  ["kube-apiserver"],
  ["etcd", "containerd"],
];
const STOP_GRACE_MS = 3000;

const HELP = `${STAND_IN}; it is not RKE2.

  rke2 server [flags]                      runs a server
  rke2 server --cluster-reset [--cluster-reset-restore-path FILE]
  rke2 agent [flags]                       runs an agent
  rke2 etcd-snapshot save [--name NAME] | list | delete NAME…
  rke2 --version

Settings are read from ${CONFIG_FILE} and ${CONFIG_FILE}.d; flags have the same names.
`;

async function main(argv: string[]): Promise<void> {
  const [command = "--help", ...rest] = argv;
  switch (command) {
    case "--version":
    case "-v":
      process.stdout.write(versionText(ownRelease()));
      return;
    case "--help":
    case "-h":
    case "help":
      process.stdout.write(HELP);
      return;
    case "server":
    case "agent":
      return serve(command, rest);
    case "etcd-snapshot":
      return snapshot(rest);
    default:
      throw new Failure(`No help topic for '${command}'. Commands are server, agent and etcd-snapshot.`, 3);
  }
}

async function serve(role: Role, argv: readonly string[]): Promise<void> {
  const release = ownRelease();
  process.title = `rke2 ${role}`;
  log("info", `Starting rke2 ${release.version} (${STAND_IN}; it is not RKE2)`);
  const config = parseConfig(role, await configFiles(argv), argv);
  const { device, ...facts } = await machineFacts();
  const settings = settingsOf(role, config, facts);
  setDebug(settings.debug);
  for (const sentence of ignoredKeys(config)) log("warning", sentence);
  const layout = layoutOf(settings.dataDir);
  await mkdir(layout.logs, { recursive: true });
  const processes = new ProcessGroup();
  const stop = (): void => {
    void processes.stopAll(STOP_ORDER, STOP_GRACE_MS).finally(() => process.exit(0));
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop);
  if (settings.clusterReset) {
    await resetCluster(processes, settings, layout, release);
    process.exit(0);
  }
  const run = role === "server" ? runServer : runAgent;
  await run(processes, settings, layout, release, device);
  log("info", `rke2 ${role} is up and running`);
  await notifyReady();
  // The work goes on in the background; the service lives as long as this process.
  setInterval(() => {}, 1 << 30);
}

/** The configuration file and its additions, in the order in which they count. */
async function configFiles(argv: readonly string[]): Promise<ConfigFile[]> {
  const at = argv.findIndex((word) => /^(--config|-c)(=|$)/.test(word));
  const word = at === -1 ? undefined : argv[at];
  const named =
    word?.includes("=") === true ? word.slice(word.indexOf("=") + 1) : at === -1 ? undefined : argv[at + 1];
  const file = named ?? process.env.RKE2_CONFIG_FILE ?? CONFIG_FILE;
  const additions = (await readdir(`${file}.d`).catch(() => []))
    .filter((name) => /\.ya?ml$/.test(name))
    .sort();
  const text = await readIfPresent(file);
  if (text === undefined && named !== undefined)
    throw new Failure(`The configuration file ${file} does not exist.`);
  return [
    ...(text === undefined ? [] : [{ path: file, text }]),
    ...(await Promise.all(
      additions.map(async (name) => {
        const addition = path.join(`${file}.d`, name);
        return { path: addition, text: await readFile(addition, "utf8") };
      }),
    )),
  ];
}

async function snapshot(argv: readonly string[]): Promise<void> {
  const [verb = "", ...rest] = argv;
  const flags = rest.filter((word) => word.startsWith("-"));
  const named = rest.findIndex((word) => /^--name(=|$)/.test(word));
  const name = named < 0 ? undefined : (/^--name=(.+)$/.exec(rest[named] ?? "")?.[1] ?? rest[named + 1]);
  const { hostname, address } = await machineFacts();
  const config: Config = parseConfig(
    "server",
    await configFiles([]),
    flags.filter((flag) => !flag.startsWith("--name")),
  );
  const settings = settingsOf("server", config, { hostname, address });
  const snapshots = new Snapshots(settings, layoutOf(settings.dataDir));
  if (verb === "save") {
    const made = await snapshots.save(name ?? "on-demand");
    log("info", `Snapshot ${made.name} saved.`);
  } else if (verb === "list" || verb === "ls") process.stdout.write(snapshotTable(await snapshots.list()));
  else if (verb === "delete") await snapshots.remove(rest.filter((word) => !word.startsWith("-")));
  else throw new Failure(`rke2 etcd-snapshot knows save, list and delete; found "${verb}".`, 3);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  for (const line of errorMessage(error).split("\n")) log("fatal", line);
  process.exit(error instanceof Failure ? error.exitCode : 1);
});
