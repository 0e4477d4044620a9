import { script } from "../shell";
import { FOUND_PERMISSION, STATE_MARKER, STATE_MOUNT } from "./prepare-volume";
import { AWAIT, REPORT } from "./report";
import { UNPACK } from "./unpack-files";

/** From where RKE's own releases come. It is archived; nothing new appears there. */
export const RKE_RELEASES = "https://github.com/rancher/rke/releases/download";

/** The version of the `rke` program, which knows the Kubernetes versions in our table. */
export const RKE_PROGRAM = "v1.8.6";

/** What a script has to know to run RKE. Its files come by standard input. */
export interface RkeRun {
  readonly releaseUrl: string;
  /** The program's SHA-256, or empty. */
  readonly digest: string;
  /** In seconds. @default 3600 */
  readonly patience?: number;
  /** Where the system's folders are; another one for tests. @default "" */
  readonly root?: string;
}

/** Where the runner keeps what RKE reads and writes: on its state volume. */
export const RKE_FOLDER = `${STATE_MOUNT}/rke`;

/** The key for the nodes, on the runner. */
export const RKE_KEY_FILE = `${RKE_FOLDER}/id`;

/**
 * Brings a cluster of RKE into the described shape, from the runner. It goes on by itself and is watched: an interrupted
 * login does not interrupt it, and a second one waits for the first. Without its state file RKE would make new
 * authorities for the old cluster, so it is run without one only for a cluster that is being founded. A node that cannot
 * be reached, which RKE leaves out and goes on, is an error here.
 */
export function runRke(run: RkeRun): string {
  const root = run.root ?? "";
  return script(
    {
      RELEASE_URL: run.releaseUrl,
      PROGRAM: RKE_PROGRAM,
      DIGEST: run.digest,
      PATIENCE: run.patience ?? 3600,
      SERVICE: "",
      STATE: `${root}${STATE_MOUNT}`,
      FOLDER: `${root}${RKE_FOLDER}`,
      RKE: `${root}/usr/local/bin/rke`,
      MARKER: STATE_MARKER,
      PERMISSION: FOUND_PERMISSION,
    },
    REPORT,
    AWAIT,
    UNPACK,
    INSTALL,
    MAIN,
  );
}

const INSTALL = `
install_rke() {
  local draft="$RKE.draft" expected=$DIGEST
  if [ -x "$RKE" ] && [ "$(cat "$RKE.version" 2>/dev/null || true)" = "$PROGRAM" ]; then return 0; fi
  mkdir -p "$(dirname "$RKE")"
  fetch() {
    curl --fail --silent --show-error --location --retry 5 --retry-connrefused --max-time 600 --output "$2" "$1" ||
      refuse "$1 cannot be downloaded; see release.url."
  }
  fetch "$RELEASE_URL/$PROGRAM/rke_linux-amd64" "$draft"
  if [ -z "$expected" ]; then
    fetch "$RELEASE_URL/$PROGRAM/sha256sum.txt" "$draft.sums"
    expected=$(awk '$2 == "rke_linux-amd64" { print $1; exit }' "$draft.sums")
    rm -f "$draft.sums"
  fi
  if ! printf '%s  %s\\n' "$expected" "$draft" | sha256sum --check --status 2>/dev/null; then
    rm -f "$draft"
    refuse "rke $PROGRAM from $RELEASE_URL does not have the digest \${expected:-that its sum file should say}. Nothing was installed."
  fi
  chmod 0755 "$draft"
  mv "$draft" "$RKE"
  printf '%s' "$PROGRAM" >"$RKE.version"
  say "installed rke $PROGRAM"
}
`;

const MAIN = `
if [ ! -e "$STATE/$MARKER" ]; then refuse "$STATE is not the state volume of the runner: $MARKER is missing there."; fi
install_rke
umask 077
mkdir -p "$FOLDER"
unpack >/dev/null
cd "$FOLDER"
if [ ! -s cluster.rkestate ] && [ ! -e "$STATE/$PERMISSION" ]; then
  refuse "$FOLDER/cluster.rkestate is missing: with it are the cluster's authorities, and RKE would make new ones. Put it back from the stack's secret output, or from the Secret kube-system/full-cluster-state by 'rke util get-state-file'."
fi
if [ -e running ] && kill -0 "$(cat running)" 2>/dev/null; then
  say "rke is still running from an earlier update"
else
  rm -f ended
  say "running rke up"
  # Not tied to this login: it writes down how it ended.
  setsid bash -c 'echo $$ >running; code=0; "$0" up --config cluster.yml >up.log 2>&1 || code=$?; echo "$code" >ended; rm -f running' "$RKE" </dev/null >/dev/null 2>&1 &
fi
has_ended() { [ -s ended ]; }
await_for "$PATIENCE" "rke up" has_ended
if [ "$(cat ended)" != 0 ] || ! grep -q 'Finished building Kubernetes cluster successfully' up.log; then
  tail -n 30 up.log >&2
  refuse "rke up ended with $(cat ended); all it said is in $FOLDER/up.log on the runner."
fi
if grep -q 'Removing host .* from node lists' up.log; then
  grep 'Removing host .* from node lists' up.log >&2
  refuse "rke left out nodes that it could not reach. They are not gone: repair the way to them and run the update again."
fi
rm -f "$STATE/$PERMISSION"
say "the cluster is in the described shape"
`;
