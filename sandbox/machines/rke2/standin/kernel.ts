import { readdir } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../../../../lib/failure";
import { readIfPresent } from "../../../../lib/files";
import { run } from "../../command";
import { log } from "./log";

/** Fewer watches than this are not enough for the machines of a cluster, which share the host's. */
const FEW_WATCHES = 512;

/** Says if the host allows too few watches: kubelets and API servers fail in strange ways then. */
async function warnOfFewWatches(): Promise<void> {
  const found = Number(((await readIfPresent("/proc/sys/fs/inotify/max_user_instances")) ?? "").trim());
  if (found < FEW_WATCHES)
    log(
      "warning",
      `fs.inotify.max_user_instances is ${found}, for all machines of the host together. Set it to ${FEW_WATCHES} or more on the host, or components fail with "too many open files".`,
    );
}

/** What the hardening guide and the kubelet ask of the kernel. */
export const KERNEL_SETTINGS: Readonly<Record<string, number>> = {
  "vm.overcommit_memory": 1,
  "vm.panic_on_oom": 0,
  "kernel.panic": 10,
  "kernel.panic_on_oops": 1,
};

/** The kubelet insists on these too; nobody configures them. */
const MORE_SETTINGS = { "kernel.keys.root_maxkeys": 1_000_000, "kernel.keys.root_maxbytes": 25_000_000 };

const SYSCTL_FOLDERS = ["/usr/lib/sysctl.d", "/usr/local/lib/sysctl.d", "/run/sysctl.d", "/etc/sysctl.d"];

/** Reads `name = value` lines as sysctl does. */
export function parseSysctl(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines.flatMap((line) => {
      const match = /^-?([\w./-]+)\s*=\s*(.*)$/.exec(line);
      return match === null || /^[#;]/.test(line)
        ? []
        : [[(match[1] ?? "").replaceAll("/", "."), (match[2] ?? "").trim()]];
    }),
  );
}

/** What the CIS profile finds missing, in RKE2's words. */
export function cisProblems(found: {
  users: readonly string[];
  settings: Readonly<Record<string, string>>;
}): string[] {
  return [
    ...(found.users.includes("etcd") ? [] : ["missing required user: unknown user etcd"]),
    ...Object.entries(KERNEL_SETTINGS).flatMap(([name, expected]) =>
      found.settings[name] === String(expected)
        ? []
        : [
            `invalid kernel parameter value ${name}=${found.settings[name] ?? "unknown"} - expected ${expected}`,
          ],
    ),
  ];
}

/**
 * Refuses the CIS profile on a machine that is not prepared for it. The kernel is the host's and a machine cannot change
 * it, so what counts is what the machine's sysctl files ask for, and only after them what the kernel has.
 */
export async function checkCis(): Promise<void> {
  const passwd = (await readIfPresent("/etc/passwd")) ?? "";
  const users = passwd.split("\n").map((line) => line.split(":")[0] ?? "");
  const problems = cisProblems({
    users,
    settings: { ...(await kernelValues()), ...(await configuredValues()) },
  });
  if (problems.length === 0) return;
  throw new Failure(
    `${problems.join("\n")}\nCopy /usr/local/share/rke2/rke2-cis-sysctl.conf to /etc/sysctl.d/60-rke2-cis.conf, restart systemd-sysctl, and add the user: useradd -r -c "etcd user" -s /sbin/nologin -M etcd -U`,
  );
}

async function kernelValues(): Promise<Record<string, string>> {
  const pairs = await Promise.all(
    Object.keys(KERNEL_SETTINGS).map(async (name) => [
      name,
      (await readIfPresent(fileOf(name)))?.trim() ?? "unknown",
    ]),
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}

async function configuredValues(): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const folder of SYSCTL_FOLDERS) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".conf")).sort();
    for (const name of names)
      Object.assign(values, parseSysctl((await readIfPresent(path.join(folder, name))) ?? ""));
  }
  return values;
}

/**
 * Makes what containers and the kubelet need of a machine of the sandbox: writable control groups, the kernel's settings
 * shown as they should be while the host's stay as they are, a shared mount for pods, and forwarding.
 */
export async function prepareKernel(clusterCidr: string): Promise<void> {
  await warnOfFewWatches();
  const settings = Object.entries({ ...KERNEL_SETTINGS, ...MORE_SETTINGS }).map(
    ([name, value]) => `setting ${name.replaceAll(".", "/")} ${value}`,
  );
  const script = `set -eu
for group in /sys/fs/cgroup /sys/fs/cgroup/*/; do
  if mountpoint -q "$group" && [ -e "$group/cgroup.procs" ]; then mount -o remount,bind,rw "$group"; fi
done
setting() {
  if [ -e "/proc/sys/$1" ] && [ ! -e "/run/fleetwright-kernel/$1" ]; then
    mkdir -p "/run/fleetwright-kernel/$(dirname "$1")"
    echo "$2" >"/run/fleetwright-kernel/$1"
    mount --bind "/run/fleetwright-kernel/$1" "/proc/sys/$1"
  fi
}
${settings.join("\n")}
mkdir -p /var/lib/kubelet
mountpoint -q /var/lib/kubelet || mount --bind /var/lib/kubelet /var/lib/kubelet
mount --make-rshared /var/lib/kubelet
# The kubelet looks for killed processes in the kernel's log, which is the whole host's: it finds an empty one.
[ -e /dev/kmsg ] || ln -s null /dev/kmsg
echo 1 >/proc/sys/net/ipv4/ip_forward
nft -f - <<'END'
table ip rke2-pods
delete table ip rke2-pods
table ip rke2-pods {
  chain leaving {
    type nat hook postrouting priority srcnat;
    ip saddr ${clusterCidr} ip daddr != ${clusterCidr} masquerade
  }
}
END
`;
  await run(["sh", "-c", script]);
}

function fileOf(name: string): string {
  return `/proc/sys/${name.replaceAll(".", "/")}`;
}
