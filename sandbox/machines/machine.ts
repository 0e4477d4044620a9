import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { readIfPresent, writePrivate } from "../../lib/files";
import { ProcessEndedError, startProcess, type Lifetime, type ProcessIdentity } from "../../lib/process";
import { cgroupVersion, machineRunner } from "./availability";
import { cgroupOf, removeCgroup } from "./cgroup";
import { run, systemEnvironment } from "./command";
import { SEED, VOLUME_LIST } from "./image-recipe";
import { acceptsCommands } from "./machine-shell";
import type { MachineSpec } from "./spec";

const BOOT = path.join(__dirname, "boot.sh");

/** The files and folders of a machine. */
export interface MachineFolder {
  folder: string;
  root: string;
  console: string;
  /** Written with the exit code when the machine shuts itself down. */
  ended: string;
  /** Mounted for cloud-init. */
  seed: string;
  /** Mounted in the machine at /run/fleetwright. */
  shared: string;
  /** Not on the overlay: containers bring overlays of their own. */
  containerd: string;
  kubelet: string;
}

/** The files and folders of a machine, below the folder of its machine host. */
export function machineFolder(dir: string, id: string): MachineFolder {
  const folder = path.join(dir, "machines", id);
  return {
    folder,
    root: path.join(folder, "root"),
    console: path.join(folder, "console.log"),
    ended: path.join(folder, "ended"),
    seed: path.join(folder, "seed"),
    shared: path.join(folder, "shared"),
    containerd: path.join(folder, "containerd"),
    kubelet: path.join(folder, "kubelet"),
  };
}

/** The options of a machine's boot. */
export interface BootOptions {
  dir: string;
  /** The machine host's key. */
  key: string;
  image: string;
  networkNamespace: string;
  lifetime: Lifetime;
}

/** The arguments of systemd-nspawn. */
export function nspawnArguments(spec: MachineSpec, options: BootOptions): string[] {
  const { root, seed, shared, containerd, kubelet } = machineFolder(options.dir, spec.id);
  return [
    `--directory=${root}`,
    `--machine=${machineName(options.key, spec.id)}`,
    `--hostname=${spec.hostname}`,
    "--quiet",
    "--boot",
    "--register=no",
    "--keep-unit",
    `--network-namespace-path=${options.networkNamespace}`,
    "--console=pipe",
    "--capability=all",
    "--system-call-filter=@known",
    "--resolv-conf=off",
    "--timezone=off",
    "--link-journal=no",
    `--bind-ro=${seed}:${SEED}`,
    `--bind-ro=${shared}:${path.dirname(VOLUME_LIST)}`,
    `--bind=${containerd}:/var/lib/containerd`,
    `--bind=${kubelet}:/var/lib/kubelet`,
  ];
}

/** Starts a machine's processes. Its network namespace and volumes must exist. */
export async function bootMachine(spec: MachineSpec, options: BootOptions): Promise<ProcessIdentity> {
  const files = machineFolder(options.dir, spec.id);
  const { folder } = files;
  for (const name of ["upper", "work"])
    await mkdir(path.join(folder, name), { recursive: true, mode: 0o755 });
  for (const mountPoint of [files.root, files.shared, files.containerd, files.kubelet]) {
    await mkdir(mountPoint, { recursive: true, mode: 0o755 });
  }
  await rm(files.ended, { force: true });
  await writeSeed(spec, files.seed);
  const started = await startProcess({
    name: `machine ${spec.id}`,
    command: await programPath("unshare"),
    args: [
      ...["--mount", "--propagation", "slave", "--", "sh", BOOT],
      ...[cgroupOf(options.key, spec.id), options.image, folder, machineRunner()],
      ...nspawnArguments(spec, options),
    ],
    env: {
      PATH: systemEnvironment().PATH ?? "",
      SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: cgroupVersion() === "v2" ? "1" : "0",
      // The machine host locks the folder; nspawn's own locks would be left behind.
      SYSTEMD_NSPAWN_LOCK: "0",
      // Only the settings of its own network: all others belong to the host.
      SYSTEMD_NSPAWN_API_VFS_WRITABLE: "network",
    },
    logFile: files.console,
    lifetime: options.lifetime,
  });
  const { identity, ended } = started;
  const broken = new AbortController();
  void ended.then(async (end) => {
    const log = (await readIfPresent(files.console)) ?? "";
    broken.abort(new ProcessEndedError(`machine ${spec.id}`, end, files.console, log));
  });
  await waitFor(
    `machine ${spec.id} to start systemd (log: ${files.console})`,
    () => acceptsCommands(identity),
    {
      timeoutMs: 20_000,
      intervalMs: 10,
      signal: broken.signal,
    },
  );
  return identity;
}

/** Writes what cloud-init reads at boot; cloud-init itself acts on it once per instance id. */
async function writeSeed(spec: MachineSpec, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const meta = {
    "instance-id": spec.id,
    "local-hostname": spec.hostname,
    "public-keys": spec.authorizedKeys,
    "availability-zone": spec.zone,
    region: spec.region,
  };
  // JSON is YAML.
  await writePrivate(path.join(folder, "meta-data"), `${JSON.stringify(meta)}\n`);
  await writePrivate(path.join(folder, "user-data"), spec.userData ?? "");
}

/** Kills what is left of a machine: its processes, control groups, and what nspawn keeps beside them. */
export async function removeMachineProcesses(key: string, id: string): Promise<void> {
  await removeCgroup(cgroupOf(key, id));
  // nspawn leaves it behind where /run is not a mount point.
  await rmdir(`/run/systemd/nspawn/propagate/${machineName(key, id)}`).catch(() => {});
}

/** How a machine that does not run ended: by a clean shutdown or not. */
export async function endOf(dir: string, id: string): Promise<"stopped" | "crashed"> {
  return (await readIfPresent(machineFolder(dir, id).ended))?.trim() === "0" ? "stopped" : "crashed";
}

/** Copies the disk of a machine that does not run to a new machine. */
export async function copyRoot(dir: string, from: string, to: string): Promise<void> {
  const [source, target] = [machineFolder(dir, from).folder, machineFolder(dir, to).folder];
  await mkdir(target, { recursive: true, mode: 0o700 });
  await run(["cp", "--archive", "--reflink=auto", path.join(source, "upper"), path.join(target, "upper")]);
}

/** Writes the list of device nodes that a machine creates at boot. */
export async function writeVolumeList(dir: string, id: string, text: string): Promise<void> {
  const { shared } = machineFolder(dir, id);
  await mkdir(shared, { recursive: true });
  await writeFile(path.join(shared, path.basename(VOLUME_LIST)), text);
}

function machineName(key: string, id: string): string {
  return `${key}.${id}`;
}

async function programPath(name: string): Promise<string> {
  return (await run(["sh", "-c", 'command -v "$0"', name])).trim();
}
