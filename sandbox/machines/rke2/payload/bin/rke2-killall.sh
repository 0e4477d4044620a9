#!/bin/sh
# Fleetwright's sandbox stand-in for RKE2: stops the services and everything that they started, and keeps all data.
[ "$(id -u)" -eq 0 ] || { echo "$(basename "$0"): must be run as root" >&2; exit 1; }
data=${RKE2_DATA_DIR:-/var/lib/rancher/rke2}

for unit in rke2-server rke2-agent; do
  systemctl stop "$unit.service" 2>/dev/null
  # The service itself leaves containers running; what is left of it in its group goes too.
  systemctl kill --signal=KILL "$unit.service" 2>/dev/null
done
pkill -KILL -f "containerd-shim-runc-v2 .*-address /run/k3s/containerd/" 2>/dev/null
for group in /sys/fs/cgroup/*/kubepods /sys/fs/cgroup/kubepods; do
  [ -d "$group" ] || continue
  find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null | xargs -r kill -9 2>/dev/null
done

awk '{ print $2 }' /proc/self/mounts | grep -E "^(/run/k3s|/var/lib/kubelet/pods|/run/netns/cni-)" | sort -r | while read -r mount; do
  umount -l "$mount"
done
rm -rf /run/k3s/containerd /var/lib/cni/networks
ip -o link show type veth | sed -n 's/^[0-9]*: \(veth[^@:]*\).*/\1/p' | while read -r link; do ip link delete "$link"; done
for table in kube-proxy rke2-pods; do nft delete table ip "$table" 2>/dev/null; done
rm -f "$data"/agent/pod-manifests/*
exit 0
