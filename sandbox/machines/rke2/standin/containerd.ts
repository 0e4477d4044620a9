// containerd in the stand-in: its configuration, start and images.
import { mkdir, readdir, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "../../../../lib/deadline";
import { errorMessage } from "../../../../lib/failure";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { isObject, parseJson } from "../../../../lib/json";
import { attempt, run } from "../../command";
import { PAUSE_IMAGE } from "../../images/pause-name";
import type { ProcessGroup } from "./process-group";
import { CONTAINERD_SOCKET, type Layout } from "./layout";
import { log } from "./log";
import type { Release } from "./release";

const OVERLAY = 0x794c7630;
const STATE = path.dirname(CONTAINERD_SOCKET);
const IMPORTED = "imported.json";
const LOOK_MS = 2000;
const ARCHIVES = /\.tar(\.(gz|zst))?$/;

/** containerd's configuration. */
export function containerdConfig(layout: Layout): string {
  // Without CAP_SYS_RESOURCE the kernel refuses a lower OOM score, and no container would start.
  return `version = 2
root = "${layout.containerdRoot}"
state = "${STATE}"
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${registryFolder(layout)}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`;
}

/** Where containerd looks for the mirrors of registries. */
export function registryFolder(layout: Layout): string {
  return path.join(layout.agent, "etc", "containerd", "certs.d");
}

/** Starts containerd and gives it the images of the release and of `agent/images`; returns when it has them. */
export async function startContainerd(
  processes: ProcessGroup,
  layout: Layout,
  release: Release,
): Promise<void> {
  await mkdir(path.dirname(layout.containerdConfig), { recursive: true });
  await mkdir(STATE, { recursive: true });
  await mkdir(layout.images, { recursive: true });
  await keepOffOverlay(layout.containerdRoot);
  await writeFile(layout.containerdConfig, containerdConfig(layout));
  await processes.start({
    name: "containerd",
    command: path.join(layout.bin, "containerd"),
    args: ["--config", layout.containerdConfig],
    logFile: path.join(layout.logs, "containerd.log"),
  });
  const answers = async (): Promise<true | string> => {
    const { code, stderr } = await attempt([...ctr(layout), "--connect-timeout", "1s", "version"]);
    return code === 0 || stderr;
  };
  await waitFor("containerd to answer", answers, { timeoutMs: 60_000 });
  const known = await importedBefore(layout);
  await importImages(layout, path.join(release.runtime, "images"), known);
  await importImages(layout, layout.images, known);
  void lookForImages(layout, known);
}

/** Containers bring overlays of their own, and those do not work on the overlay that is a machine's disk. */
async function keepOffOverlay(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await statfs(folder)).type !== OVERLAY) return;
  await mkdir("/var/lib/containerd", { recursive: true });
  await run(["mount", "--bind", "/var/lib/containerd", folder]);
}

/** What was imported into this containerd, by archive: its size and time. It lies with the images themselves. */
async function importedBefore(layout: Layout): Promise<Map<string, string>> {
  const stored = parseJson((await readIfPresent(path.join(layout.containerdRoot, IMPORTED))) ?? "");
  return new Map(Object.entries(isObject(stored) ? stored : {}).map(([file, mark]) => [file, String(mark)]));
}

/** Imports every archive of a folder that is new or has changed. */
async function importImages(layout: Layout, folder: string, known: Map<string, string>): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => ARCHIVES.test(name)).sort();
  for (const name of names) {
    const archive = path.join(folder, name);
    const { mtimeMs, size } = await stat(archive);
    const mark = `${size} ${mtimeMs}`;
    if (known.get(archive) === mark) continue;
    log("info", `Importing images from ${archive}`);
    const result = await attempt([...ctr(layout), "--namespace", "k8s.io", "images", "import", archive]);
    if (result.code === 0) {
      known.set(archive, mark);
      await writePrivate(
        path.join(layout.containerdRoot, IMPORTED),
        JSON.stringify(Object.fromEntries(known)),
      );
    } else log("error", `Failed to import ${archive}: ${result.stderr.trim()}`);
  }
}

/**
 * An archive that is put into `agent/images` later is imported too, as RKE2 does since 1.32. The folder is looked at
 * instead of watched: all machines of the host share one small number of watches.
 */
async function lookForImages(layout: Layout, known: Map<string, string>): Promise<never> {
  for (;;) {
    await pause(LOOK_MS);
    await importImages(layout, layout.images, known).catch((error: unknown) =>
      log("error", errorMessage(error)),
    );
  }
}

function ctr(layout: Layout): string[] {
  return [path.join(layout.bin, "ctr"), "--address", CONTAINERD_SOCKET];
}
