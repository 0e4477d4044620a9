import { STATE_MARKER, STATE_MOUNT, volumeDevice } from "../../../../lib/node-scripts/state-volume";
import { script } from "../shell";
import { REPORT } from "./report";

/** What a script has to know of a state volume. */
export interface VolumePreparation {
  /** `vol-…` */
  readonly volume: string;
  /** Whose it is: project, stack and cluster. */
  readonly cluster: string;
  readonly member: string;
  /** Whether a blank volume may be formatted. Only the first preparation of a volume ever says so. */
  readonly format: boolean;
  /** Whether this member may found the cluster, if its volume is formatted now. */
  readonly found: boolean;
  /** Whether it may be a copy of the member's volume, made from a snapshot. */
  readonly copy: boolean;
  /** @default "/var/lib/rancher" */
  readonly mountPoint?: string;
  /** @default by the volume's serial number, which no other device can have */
  readonly device?: string;
  /** @default "/etc/fstab" */
  readonly fstab?: string;
  /** How long the device may take to appear, in seconds. @default 120 */
  readonly patience?: number;
}

export { STATE_MARKER, STATE_MOUNT, volumeDevice };

/**
 * The file in a state volume's root that lets its server found a new cluster. It is written with the marker on a volume
 * that was blank, and removed when the cluster is there: so a cluster is founded at most once.
 */
export const FOUND_PERMISSION = ".fleetwright-may-found";

/**
 * Mounts a state volume, if it is the right one. Formats it only if nothing at all is on it and this was allowed, and
 * writes whose it is; refuses everything else. May be repeated at any time.
 */
export function prepareVolume(preparation: VolumePreparation): string {
  return script(
    {
      DEVICE: preparation.device ?? volumeDevice(preparation.volume),
      MOUNT: preparation.mountPoint ?? STATE_MOUNT,
      MARKER: STATE_MARKER,
      FSTAB: preparation.fstab ?? "/etc/fstab",
      VOLUME: preparation.volume,
      CLUSTER: preparation.cluster,
      MEMBER: preparation.member,
      FORMAT: preparation.format ? "yes" : "no",
      FOUND: preparation.found ? "yes" : "no",
      PERMISSION: FOUND_PERMISSION,
      COPY: preparation.copy ? "yes" : "no",
      PATIENCE: preparation.patience ?? 120,
    },
    REPORT,
    FUNCTIONS,
    MAIN,
  );
}

const FUNCTIONS = `
number_of() { stat --dereference --format '%Hr:%Lr' "$1"; }
mounted_number() { findmnt --noheadings --first-only --output MAJ:MIN --mountpoint "$MOUNT" | tr -d ' '; }
told() { sed -n "s/^$1=//p" "$MOUNT/$MARKER"; }

# Whether there is nothing but zeros at a place, as far as the device goes.
zeros_at() {
  local bytes=$2
  if [ $(($1 + bytes)) -gt "$size" ]; then bytes=$((size - $1)); fi
  cmp --silent --ignore-initial="$1:0" --bytes="$bytes" "$DEVICE" /dev/zero
}

# Whether there is nothing but zeros at every so many bytes.
zeros_each() {
  local place=0
  while [ "$place" -lt "$size" ]; do
    zeros_at "$place" 65536 || return 1
    place=$((place + $1))
  done
}

# Blank is: no file system, partition table, RAID or LVM that blkid knows, and nothing but zeros where one without its beginning
# would show: at both ends, at every 128 MiB (ext4 has copies of its superblock there), and in every 64th part.
is_blank() {
  local code=0 size
  blkid --probe "$DEVICE" >/dev/null 2>&1 || code=$?
  [ "$code" -eq 2 ] || return 1
  size=$(blockdev --getsize64 "$DEVICE") || return 1
  zeros_at 0 1048576 && zeros_at $((size > 1048576 ? size - 1048576 : 0)) 1048576 &&
    zeros_each $((128 * 1048576)) && zeros_each $((size / 64))
}

let_go() {
  if [ "$ours" = yes ]; then umount "$MOUNT"; fi
}

refuse_and_let_go() {
  let_go
  refuse "$@"
}

write_marker() {
  local draft="$MOUNT/$MARKER.draft"
  printf 'cluster=%s\\nmember=%s\\nvolume=%s\\n' "$CLUSTER" "$MEMBER" "$VOLUME" >"$draft"
  sync "$draft"
  mv "$draft" "$MOUNT/$MARKER"
  sync "$MOUNT"
}

# One line for each mount point, in the place of an older one.
remember() {
  local draft
  draft=$(mktemp "$FSTAB.XXXXXX")
  awk -v point="$2" '$2 != point' "$FSTAB" >"$draft"
  printf '%s %s %s %s 0 %s\\n' "$1" "$2" "$3" "$4" "$5" >>"$draft"
  chmod 0644 "$draft"
  if cmp --silent "$draft" "$FSTAB"; then rm "$draft"; else mv "$draft" "$FSTAB"; fi
}
`;

const MAIN = `
touch "$FSTAB"
waited=0
until [ -b "$DEVICE" ]; do
  if [ "$waited" -ge "$PATIENCE" ]; then
    refuse "the state volume $VOLUME of $MEMBER is not attached: $DEVICE did not appear within $PATIENCE s. Look at the attachment of the volume in EC2, then run the update again."
  fi
  sleep 1
  waited=$((waited + 1))
done

ours=no
if mountpoint --quiet "$MOUNT"; then
  if [ "$(mounted_number)" != "$(number_of "$DEVICE")" ]; then
    refuse "something else than the state volume $VOLUME is mounted at $MOUNT: $(findmnt --noheadings --first-only --output SOURCE --mountpoint "$MOUNT"). Unmount it, then run the update again."
  fi
else
  if is_blank; then
    if [ "$FORMAT" != yes ]; then
      refuse "the state volume $VOLUME of $MEMBER is blank, and a member of $CLUSTER must not start without its data. For a new cluster set bootstrap: true; to let this member join again with an empty volume add \\"$MEMBER\\" to rejoin."
    fi
    say "formatting the blank volume $VOLUME"
    mkfs.ext4 -q -m 1 "$DEVICE"
  fi
  kind=$(blkid --probe --match-tag TYPE --output value "$DEVICE" || true)
  if [ "$kind" != ext4 ]; then
    refuse "the state volume $VOLUME of $MEMBER holds something that is not ours (\${kind:-no file system, but data}). Attach the right volume; ours are ext4."
  fi
  mkdir -p "$MOUNT"
  if [ -n "$(ls -A "$MOUNT")" ]; then
    refuse "$MOUNT is not empty on the root disk: RKE2 has run here without its state volume. Replace this instance; the volume $VOLUME was not touched."
  fi
  mount --types ext4 --options noatime "$DEVICE" "$MOUNT"
  ours=yes
fi

if [ ! -e "$MOUNT/$MARKER" ]; then
  # A format that was cut short before the marker was written leaves nothing but this.
  content=$(find "$MOUNT" -mindepth 1 -maxdepth 1 ! -name lost+found ! -name "$MARKER.draft" ! -name "$PERMISSION" -print -quit)
  if [ -n "$content" ] || [ "$FORMAT" != yes ]; then
    refuse_and_let_go "the volume $VOLUME has a file system, but no $MARKER says that it is the state volume of $MEMBER in $CLUSTER. Attach the right volume, or a blank one if this is a new cluster."
  fi
  if [ "$FOUND" = yes ]; then touch "$MOUNT/$PERMISSION"; fi
  write_marker
  say "marked the volume $VOLUME as $MEMBER of $CLUSTER"
elif [ "$(told cluster)" != "$CLUSTER" ] || [ "$(told member)" != "$MEMBER" ]; then
  refuse_and_let_go "the volume $VOLUME belongs to $(told member) of $(told cluster), not to $MEMBER of $CLUSTER. Attach the right volume."
elif [ "$(told volume)" != "$VOLUME" ]; then
  if [ "$COPY" != yes ]; then
    refuse_and_let_go "the volume $VOLUME is a copy of $(told volume), the state of $MEMBER as it was earlier. Started beside the other members it would break the cluster's promises. Restore a snapshot of etcd instead, or set snapshotId if the whole cluster is rebuilt from copies."
  fi
  write_marker
  say "took over a copy for $MEMBER"
fi

# Does nothing unless the volume has grown.
grown=$(resize2fs "$DEVICE" 2>&1) || refuse "the file system of $VOLUME could not be grown to the volume's size: $grown. It is mounted and whole; run the update again."
remember "$DEVICE" "$MOUNT" ext4 defaults,noatime,nofail,x-systemd.device-timeout=60s 2
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
say "the state volume $VOLUME of $MEMBER is at $MOUNT"
`;
