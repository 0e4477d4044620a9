#!/bin/sh
# Boots a machine in plain namespaces, where systemd-nspawn is missing. Takes the arguments of nspawn that machines have and
# passes over the others. Started a second time by itself, as the first process inside the new namespaces.
set -eu
inside=no root='' hostname='' network=''
for word; do
  case $word in
    --inside) inside=yes ;;
    --directory=*) root=${word#*=} ;;
    --hostname=*) hostname=${word#*=} ;;
    --network-namespace-path=*) network=${word#*=} ;;
  esac
done
if [ "$inside" = no ]; then
  exec nsenter --net="$network" unshare --mount --propagation slave --uts --ipc --pid --fork --kill-child -- \
    sh "$0" --inside "$@"
fi

hostname "$hostname"
mount --bind "$root" "$root"
cd "$root"
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t sysfs -o nosuid,nodev,noexec,ro sysfs sys
mount --rbind /sys/fs/cgroup sys/fs/cgroup
mount -t tmpfs -o mode=0755,nosuid,nodev tmpfs run
mount -t tmpfs -o mode=0755,nosuid tmpfs dev
mkdir dev/pts dev/shm
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 0666 "dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 0666 dev/tty c 5 0
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
# What systemd says on the console is in the journal as well.
ln -s null dev/console
# The kernel is the host's: only the settings of the machine's own network are its own.
mount --bind proc/sys proc/sys
mount --bind proc/sys/net proc/sys/net
mount -o remount,bind,ro proc/sys
mount -o remount,bind,rw proc/sys/net
if [ -e proc/sysrq-trigger ]; then mount --bind dev/null proc/sysrq-trigger; fi

for word; do
  case $word in
    --bind=* | --bind-ro=*)
      pair=${word#*=}
      to=${pair#*:}
      mkdir -p "./$to"
      mount --bind "${pair%%:*}" "./$to"
      case $word in --bind-ro=*) mount -o remount,bind,ro "./$to" ;; esac
      ;;
  esac
done

pivot_root . .
umount -l .
exec chroot . /usr/bin/env -i container=fleetwright PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
  --log-target=journal </dev/null
