#!/bin/sh
# Runs one machine: boot.sh CGROUP IMAGE FOLDER RUNNER NSPAWN-ARGUMENTS…
# RUNNER is "nspawn", or "namespaces" where that is missing.
# It is started in a mount namespace of its own, so that the machine's root file system is gone with its last process.
set -eu
cgroup=$1 image=$2 folder=$3 runner=$4
shift 4
rm -f "$folder/ended"

enter() { # HIERARCHY: makes the group below it and enters it
  at=$1
  IFS=/
  for part in $cgroup; do
    mkdir -p "$at/$part" || return
    # A new cpuset takes no process until both are filled; mems is filled last, here and by machines that boot beside this.
    if [ -f "$at/$part/cpuset.mems" ] && [ -z "$(cat "$at/$part/cpuset.mems")" ]; then
      cat "$at/cpuset.cpus" >"$at/$part/cpuset.cpus" || return
      cat "$at/cpuset.mems" >"$at/$part/cpuset.mems" || return
    fi
    at=$at/$part
  done
  unset IFS
  echo $$ >"$at/cgroup.procs"
}
join() { # HIERARCHY: enters the group, also while the last machine of another sandbox takes the empty parent away
  tries=0
  while [ $((tries += 1)) -lt 100 ]; do
    if enter "$1" 2>/dev/null; then return; fi
  done
  enter "$1"
}
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  join /sys/fs/cgroup
else
  for hierarchy in /sys/fs/cgroup/*; do
    if [ -f "$hierarchy/cgroup.procs" ]; then join "$hierarchy"; fi
  done
fi

mount -t overlay overlay -o "lowerdir=$image,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
while :; do
  code=0
  if [ "$runner" = nspawn ]; then
    setpriv --pdeathsig KILL -- systemd-nspawn "$@" || code=$?
  else
    setpriv --pdeathsig KILL -- sh "$(dirname "$0")/namespaces.sh" "$@" || code=$?
    # The kernel ends the first process of a namespace by SIGHUP when it asks for a reboot, by SIGINT for the end.
    case $code in 129) code=133 ;; 130) code=0 ;; esac
  fi
  # 133 is a reboot. Any other end is the machine's own; a killed one leaves no word.
  if [ "$code" -ne 133 ]; then
    echo "$code" >"$folder/ended"
    exit "$code"
  fi
done
