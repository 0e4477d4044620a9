import { createHash } from "node:crypto";
import { NAME_SERVER_ADDRESS } from "./network";

/** The release that is taken where the host's own is not Debian's. */
export const DEFAULT_RELEASE = "bookworm";

/** What an image is made of. */
export const PACKAGES: readonly string[] = [
  "systemd",
  "systemd-sysv",
  "dbus",
  "openssh-server",
  "cloud-init",
  // cloud-init needs it through a virtual package, which debootstrap does not resolve.
  "python3-cffi-backend",
  "iproute2",
  "nftables",
  "iptables",
  "containerd",
  "runc",
  "containernetworking-plugins",
  "e2fsprogs",
  "xfsprogs",
  "kmod",
  "ca-certificates",
  "curl",
  "sudo",
  "procps",
  "conntrack",
  "socat",
  "iputils-ping",
];

/** Where a machine finds the list of its volumes' device nodes. */
export const VOLUME_LIST = "/run/fleetwright/volumes.conf";

/** Where cloud-init finds what a machine was started with. */
export const SEED = "/var/lib/cloud/seed/nocloud";

/** Files that make the packages an image of a machine in the cloud. */
export const FILES: Readonly<Record<string, string>> = {
  // The EC2 data source of cloud-init reads the firmware tables to know where it is, and does not look in a container. The
  // same facts come from files that the host shows to the machine.
  "/etc/cloud/cloud.cfg.d/90_fleetwright.cfg": `datasource_list: [NoCloud]
# The address is set from outside, before the machine boots.
network: {config: disabled}
manage_etc_hosts: localhost
# The image has the C.UTF-8 locale only.
locale: false
# Making an RSA key takes longer than the rest of the boot.
ssh_genkeytypes: [ed25519, ecdsa]
`,
  "/etc/ssh/sshd_config.d/fleetwright.conf": `PasswordAuthentication no
PermitRootLogin prohibit-password
UseDNS no
`,
  // There is no udev in a machine: the host lists the devices to create, also at the next boot.
  "/etc/systemd/system/fleetwright-volumes.service": `[Unit]
Description=Device nodes and mounts of attached volumes
DefaultDependencies=no
After=systemd-remount-fs.service
Before=local-fs-pre.target sysinit.target
ConditionPathExists=${VOLUME_LIST}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/systemd-tmpfiles --create --prefix=/dev ${VOLUME_LIST}
# In a container systemd itself leaves out the devices of /etc/fstab.
ExecStart=-/bin/mount --all

[Install]
WantedBy=sysinit.target
`,
  "/etc/hostname": "localhost\n",
  "/etc/resolv.conf": `nameserver ${NAME_SERVER_ADDRESS}\noptions timeout:1 attempts:1\n`,
  "/etc/machine-id": "",
};

/** Run inside the new root, without network, before it becomes an image. */
export const FINISH = `set -eu
rm -f /etc/ssh/ssh_host_*
rm -rf /var/cache/apt/archives/*.deb /var/lib/apt/lists/* /var/cache/debconf/*-old /var/log/*.log
mkdir -p ${SEED}
systemctl enable ssh.service cloud-init-local.service cloud-init.service cloud-config.service cloud-final.service fleetwright-volumes.service
# A machine runs containers only once it has joined a cluster.
systemctl disable containerd.service
# Timers and services that only make noise in a machine that lives for minutes.
systemctl mask e2scrub_reap.service e2scrub_all.timer apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \\
  fstrim.timer systemd-timesyncd.service dev-hugepages.mount sys-kernel-debug.mount sys-kernel-tracing.mount \\
  modprobe@configfs.service modprobe@dm_mod.service modprobe@drm.service modprobe@fuse.service modprobe@loop.service \\
  modprobe@efi_pstore.service getty.target console-getty.service
`;

/** Names what this recipe makes, for one release and processor. */
export function imageKey(release: string, arch: string = process.arch): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([PACKAGES, FILES, FINISH]))
    .digest("hex");
  return `${release}-${arch}-${digest.slice(0, 12)}`;
}
