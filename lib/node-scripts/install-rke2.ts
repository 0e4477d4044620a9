/** From where RKE2's own releases come. */
export const RKE2_RELEASES = "https://github.com/rancher/rke2/releases/download";

/**
 * `install_rke2` brings the version in VERSION onto a node, as the manual installation with the tarball does. It reads
 * RELEASE_URL, DIGEST (SHA-256 of the tarball; empty means that the sum file beside it is believed) and PREFIX, and
 * prints "installed" if it did anything. A minor version is never skipped and never taken back: RKE2 does not support
 * either, and the data would not.
 */
export const INSTALL_RKE2 = `
minor_of() { printf '%s' "$1" | sed 's/^v[0-9]*\\.\\([0-9]*\\)\\..*$/\\1/'; }

install_rke2() {
  local record="$PREFIX/share/fleetwright/rke2-version" current="" step folder url name=rke2.linux-amd64.tar.gz expected
  if [ -e "$record" ]; then current=$(cat "$record"); fi
  if [ "$current" = "$VERSION" ] && [ -x "$PREFIX/bin/rke2" ]; then return 0; fi
  if [ "$(uname -m)" != x86_64 ]; then
    refuse "this node's processor is $(uname -m): choose an instance type with an x86-64 one."
  fi
  if [ -n "$current" ]; then
    step=$(($(minor_of "$VERSION") - $(minor_of "$current")))
    if [ "$step" -lt 0 ]; then
      refuse "RKE2 $current runs here and cannot go back to $VERSION: restore a snapshot of etcd that was taken with the older version."
    elif [ "$step" -gt 1 ]; then
      refuse "RKE2 $current cannot go to $VERSION in one step: go up one minor version after another."
    fi
  fi
  folder=$(mktemp --directory)
  url="$RELEASE_URL/$(printf '%s' "$VERSION" | sed 's/+/%2B/g')"
  fetch() {
    curl --fail --silent --show-error --location --retry 5 --retry-connrefused --connect-timeout 20 --max-time 1800 \\
      --output "$2" "$1" >&2 || refuse "$1 cannot be downloaded; see releaseUrl."
  }
  fetch "$url/$name" "$folder/$name"
  expected=$DIGEST
  if [ -z "$expected" ]; then
    fetch "$url/sha256sum-amd64.txt" "$folder/sums"
    expected=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1; exit }' "$folder/sums")
  fi
  if ! printf '%s  %s\\n' "$expected" "$folder/$name" | sha256sum --check --status 2>/dev/null; then
    expected="\${expected:-a digest in $url/sha256sum-amd64.txt}"
    actual=$(sha256sum "$folder/$name" | cut -d ' ' -f 1)
    rm -rf "$folder"
    refuse "the tarball of RKE2 $VERSION from $url has the digest $actual instead of $expected. Nothing was installed. Look at digests and releaseUrl."
  fi
  mkdir -p "$PREFIX" "$(dirname "$record")"
  tar --extract --gzip --no-same-owner --file "$folder/$name" --directory "$PREFIX"
  rm -rf "$folder"
  printf '%s' "$VERSION" >"$record.draft"
  mv "$record.draft" "$record"
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
  say "installed RKE2 $VERSION"
}
`;
