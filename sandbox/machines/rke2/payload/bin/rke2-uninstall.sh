#!/bin/sh
# Fleetwright's sandbox stand-in for RKE2: stops everything and removes it with all data.
[ "$(id -u)" -eq 0 ] || { echo "$(basename "$0"): must be run as root" >&2; exit 1; }
prefix=$(dirname "$(dirname "$(readlink -f "$0")")")
data=${RKE2_DATA_DIR:-/var/lib/rancher/rke2}

"$prefix/bin/rke2-killall.sh"
systemctl disable rke2-server rke2-agent 2>/dev/null
umount -l "$data/agent/containerd" 2>/dev/null
rm -rf "$prefix"/lib/systemd/system/rke2-* "$prefix/share/rke2" /etc/rancher/rke2 /etc/rancher/node "$data" \
  /var/lib/kubelet/* /var/lib/containerd/* /etc/cni/net.d/10-rke2-standin.conflist
systemctl daemon-reload
rm -f "$prefix"/bin/rke2 "$prefix"/bin/rke2-killall.sh "$prefix"/bin/rke2-uninstall.sh
