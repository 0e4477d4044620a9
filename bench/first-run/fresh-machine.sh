#!/bin/bash
# Runs a command as on a machine that nobody has prepared: in a bare Debian root with Node, Go, Python and git, the project
# as it is committed, and nothing in any cache. Its processes, mounts and files are gone afterwards.
#
#   fresh-machine.sh PROJECT COMMAND
#
# Needs root and debootstrap. The bare root is kept in the cache for the next time; all else is in one temporary folder.
set -euo pipefail
project=$1 command=$2
[ "$(id -u)" = 0 ] || { echo "A fresh machine needs root: it has a file system of its own." >&2; exit 3; }
for program in debootstrap unshare node npm go git; do
  command -v "$program" >/dev/null || { echo "A fresh machine needs $program on this one." >&2; exit 3; }
done
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
base=${XDG_CACHE_HOME:-$HOME/.cache}/fleetwright/bench/bare-$release.tar
work=$(mktemp -d "${TMPDIR:-/tmp}/fleetwright-first-run.XXXXXX")
root=$work/root
clean() {
  # What the command left mounted inside goes first; nothing outside of the folder is touched.
  awk -v at="$work/" 'index($2, at) == 1 {print $2}' /proc/mounts | sort -r | while read -r at; do umount -l "$at" || true; done
  rm -rf --one-file-system "$work"
}
trap clean EXIT
if [ ! -e "$base" ]; then
  mirror=$(apt-cache policy | awk -v main="$release/main" '$2 ~ /^http/ && $3 == main {print $2; exit}')
  mkdir -p "$(dirname "$base")"
  debootstrap --variant=minbase --include=ca-certificates,git,python3,python3-venv,libstdc++6,procps,iproute2 \
    "$release" "$work/base" "${mirror%/}" >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; exit 1; }
  tar -C "$work/base" -cf "$base.$$" . && mv "$base.$$" "$base"
  rm -rf "$work/base"
fi
mkdir -p "$root" && tar -C "$root" -xf "$base"
# How this machine reaches its package registries.
for file in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/pip.conf /etc/resolv.conf /etc/hosts \
  /etc/ssl/certs /usr/local/share/ca-certificates; do
  [ ! -e "$file" ] || { rm -rf "${root:?}$file"; mkdir -p "$(dirname "$root$file")"; cp -aL "$file" "$root$file"; }
done
for file in .npmrc .config/go .config/pip; do
  [ ! -e "$HOME/$file" ] || { mkdir -p "$root/root/$(dirname "$file")"; cp -aL "$HOME/$file" "$root/root/$file"; }
done
# What the README asks for.
cp -a "$(readlink -f "$(command -v node)")" "$root/usr/bin/node"
modules=$(cd "$(dirname "$(readlink -f "$(command -v npm)")")/../.." && pwd)
mkdir -p "$root/usr/lib/node_modules" "$root/usr/local/go" && cp -a "$modules/npm" "$root/usr/lib/node_modules/"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/bin/npx"
git clone -q "$project" "$root/root/project"
run=(env -i HOME=/root USER=root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin)
for name in GOPROXY GOSUMDB GONOSUMDB HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS \
  SSL_CERT_FILE SSL_CERT_DIR PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO; do
  [ -z "${!name:-}" ] || run+=("$name=${!name}")
done
cat >"$work/inside" <<'INSIDE'
set -euo pipefail
root=$1 go=$2 command=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount --bind -o ro "$go" "$root/usr/local/go"
exec chroot "$root" "$@" bash -c "cd /root/project && $command"
INSIDE
unshare --mount --pid --fork --kill-child bash "$work/inside" "$root" "$(go env GOROOT)" "$command" "${run[@]}"
