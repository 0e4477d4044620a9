import { script } from "../shell";
import { STATE_MARKER, STATE_MOUNT } from "./prepare-volume";
import { REPORT } from "./report";

/** Which folders a machine shows from elsewhere. */
export interface BoundFolders {
  /** @default "/var/lib/rancher" */
  readonly mountPoint?: string;
  /** Where RKE2 keeps the node's password; lost, the name of the node is refused. @default "/etc/rancher/node" */
  readonly passwordFolder?: string;
  /** Where images and containers lie on the root disk. @default "/var/lib/fleetwright/containerd" */
  readonly containerFolder?: string;
  /** @default "/etc/fstab" */
  readonly fstab?: string;
}

/**
 * Puts the node's password on the state volume, and the images off it: they are large, can be had again, and their
 * writes would slow down etcd's.
 */
export function bindState(folders: BoundFolders = {}): string {
  return script(
    {
      MOUNT: folders.mountPoint ?? STATE_MOUNT,
      MARKER: STATE_MARKER,
      PASSWORD: folders.passwordFolder ?? "/etc/rancher/node",
      CONTAINERS: folders.containerFolder ?? "/var/lib/fleetwright/containerd",
      FSTAB: folders.fstab ?? "/etc/fstab",
    },
    REPORT,
    `
bind() { # SOURCE POINT
  mkdir -p "$1" "$2"
  if ! mountpoint --quiet "$2"; then mount --bind "$1" "$2"; fi
  if ! awk -v point="$2" '$2 == point { found = 1 } END { exit !found }' "$FSTAB"; then
    printf '%s %s none bind,nofail,x-systemd.requires-mounts-for=%s 0 0\\n' "$1" "$2" "$MOUNT" >>"$FSTAB"
  fi
}
touch "$FSTAB"
if [ ! -e "$MOUNT/$MARKER" ]; then refuse "$MOUNT is not the state volume of this server: $MARKER is missing there."; fi
install --directory --mode 0700 "$MOUNT/node"
bind "$MOUNT/node" "$PASSWORD"
mkdir -p "$(dirname "$CONTAINERS")"
# Containers bring overlays of their own, which cannot lie on another one.
if [ "$(stat --file-system --format %T "$(dirname "$CONTAINERS")")" = overlayfs ]; then
  say "images stay on the state volume: the root disk is an overlay"
else
  bind "$CONTAINERS" "$MOUNT/rke2/agent/containerd"
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`,
  );
}
