import { script } from "../shell";
import { CIS_PREREQUISITES } from "./cis-prerequisites";
import { ENSURE_IPTABLES } from "./ensure-iptables";
import { INSTALL_RKE2 } from "../../../../lib/node-scripts/install-rke2";
import { FOUND_PERMISSION, STATE_MARKER, STATE_MOUNT } from "./prepare-volume";
import { AWAIT, REPORT } from "./report";
import { UNPACK } from "./unpack-files";

/** What a script has to know to run a server. Its files come by standard input. */
export interface ServerRun {
  /** The node's name. */
  readonly node: string;
  readonly version: string;
  readonly releaseUrl: string;
  /** The tarball's SHA-256, or empty. */
  readonly digest: string;
  /** Where servers register: `https://…:9345`. */
  readonly registration: string;
  /** The fixed addresses of the other servers. */
  readonly peers: readonly string[];
  readonly cis: boolean;
  /** Shell lines about a proxy. @default "" */
  readonly proxy?: string;
  /** How long a start may take, in seconds. @default 900 */
  readonly patience?: number;
  /** How long the other servers may take to be well before this one is restarted, in seconds. @default 120 */
  readonly peerPatience?: number;
  /** How many looks in a row must find it well, a second apart. @default 5 */
  readonly steady?: number;
  /** Where the system's folders are; another one for tests. @default "" */
  readonly root?: string;
}

/** Where RKE2 takes the address to register at from; the start decides whether there is one. */
export const JOIN_FILE = "/etc/rancher/rke2/config.yaml.d/50-join.yaml";

/**
 * Brings a server to its version and settings and waits until it is well: its service runs, the API is ready (which asks
 * etcd for a quorum), its node is Ready and its etcd member votes. It is restarted only if something changed since it was
 * last started, and only if that leaves etcd its majority. May be repeated at any time.
 */
export function runServer(run: ServerRun): string {
  const root = run.root ?? "";
  return script(
    {
      NODE: run.node,
      VERSION: run.version,
      RELEASE_URL: run.releaseUrl,
      DIGEST: run.digest,
      REGISTRATION: run.registration,
      PEERS: run.peers.join(" "),
      CIS: run.cis ? "yes" : "no",
      PATIENCE: run.patience ?? 900,
      PEER_PATIENCE: run.peerPatience ?? 120,
      STEADY: run.steady ?? 5,
      SERVICE: "rke2-server",
      PREFIX: `${root}/usr/local`,
      STATE: `${root}${STATE_MOUNT}`,
      MARKER: STATE_MARKER,
      PERMISSION: FOUND_PERMISSION,
      JOIN_FILE: `${root}${JOIN_FILE}`,
      STARTED: `${root}/var/lib/fleetwright/rke2-server.started`,
      KUBECONFIG: `${root}/etc/rancher/rke2/rke2.yaml`,
    },
    ...(run.proxy === undefined || run.proxy === "" ? [] : [run.proxy]),
    REPORT,
    AWAIT,
    UNPACK,
    INSTALL_RKE2,
    ENSURE_IPTABLES,
    CIS_PREREQUISITES,
    JOIN_OR_FOUND,
    HEALTH,
    MAJORITY,
    MAIN,
  );
}

/**
 * RKE2 founds a new cluster whenever it starts with no data and no address to register at. So it always gets the address,
 * except with the permission of a first creation, and not even then if another server of this cluster answers.
 */
const JOIN_OR_FOUND = `
is_initialised() { [ -d "$STATE/rke2/server/db/etcd/member/wal" ]; }

join_or_found() {
  local peer
  mkdir -p "$(dirname "$JOIN_FILE")"
  if is_initialised || [ ! -e "$STATE/$PERMISSION" ]; then
    printf 'server: %s\\n' "$REGISTRATION" >"$JOIN_FILE.draft"
    chmod 0600 "$JOIN_FILE.draft"
    mv "$JOIN_FILE.draft" "$JOIN_FILE"
    return
  fi
  for peer in $PEERS; do
    if [ "$(curl --insecure --silent --max-time 5 "https://$peer:9345/ping" || true)" = pong ]; then
      refuse "this server may found a new cluster, but $peer already runs one. Remove $STATE/$PERMISSION on this node to let it join."
    fi
  done
  rm -f "$JOIN_FILE"
  say "founding a new cluster"
}
`;

const HEALTH = `
export KUBECONFIG
kubectl() { "$STATE/rke2/bin/kubectl" --request-timeout 10s "$@"; }
invocation() { systemctl show --property InvocationID --value "$SERVICE"; }
condition() { kubectl get node "$NODE" --output "jsonpath={.status.conditions[?(@.type==\\"$1\\")].status}" 2>/dev/null || true; }

is_well() {
  local votes
  systemctl --quiet is-active "$SERVICE" || return 1
  [ "$(invocation)" != "$before" ] || return 1
  [ "$(curl --insecure --silent --max-time 5 https://127.0.0.1:9345/ping || true)" = pong ] || return 1
  [ "$(kubectl get --raw /readyz 2>/dev/null || true)" = ok ] || return 1
  [ "$(condition Ready)" = True ] || return 1
  votes=$(condition EtcdIsVoter)
  [ -z "$votes" ] || [ "$votes" = True ]
}

# Static pods start again some seconds after the service: once is not enough.
is_steadily_well() {
  local look
  for ((look = 1; look < STEADY; look++)); do
    is_well || return 1
    sleep 1
  done
  is_well
}
`;

/**
 * A restart takes this member of etcd away for some seconds. If another one is away already, that could be the majority:
 * so the others are asked first, each at its own API, which is ready only with a quorum behind it.
 */
const MAJORITY = `
majority_stays() {
  local members name address
  count=0 unwell=0 missing=
  # Where this server's own API does not answer, a restart takes nothing away and may be what helps.
  members=$(kubectl get nodes --selector node-role.kubernetes.io/etcd \\
    --output 'jsonpath={range .items[*]}{.metadata.name} {.status.addresses[?(@.type=="InternalIP")].address}{"\\n"}{end}' 2>/dev/null) || return 0
  while read -r name address; do
    if [ -z "$name" ]; then continue; fi
    count=$((count + 1))
    if [ "$name" = "$NODE" ] || [ "$(kubectl --server "https://$address:6443" get --raw /readyz 2>/dev/null || true)" = ok ]; then continue; fi
    unwell=$((unwell + 1))
    missing="$missing\${missing:+, }$name ($address)"
  done <<<"$members"
  [ "$unwell" -eq 0 ] || [ $((count - 1 - unwell)) -ge $((count / 2 + 1)) ]
}

keep_majority() {
  SERVICE='' await_for "$PEER_PATIENCE" "the other servers to be well" majority_stays ||
    refuse "of $count members of etcd these are not well: $missing. Restarting $NODE as well would lose the majority, and with it the API. Repair them first, then run the update again."
}
`;

const MAIN = `
if [ ! -e "$STATE/$MARKER" ]; then
  refuse "$STATE is not the state volume of this server: $MARKER is missing there."
fi
files=$(cat)
wanted=$(printf '%s\\n%s\\n' "$VERSION" "$files" | sha256sum | cut -d ' ' -f 1)
restart=no
# A start that is still under way from an earlier, interrupted update is left to go on.
state=$(systemctl show --property ActiveState --value "$SERVICE")
if { [ "$state" != active ] && [ "$state" != activating ]; } || [ "$(cat "$STARTED" 2>/dev/null || true)" != "$wanted" ]; then restart=yes; fi
if [ "$restart" = yes ] && [ "$state" = active ] && is_initialised; then keep_majority; fi
ensure_iptables
install_rke2
if [ "$CIS" = yes ]; then cis_prerequisites; fi
changed=$(unpack <<<"$files")
join_or_found
if [ -n "$changed" ]; then systemctl daemon-reload; fi
systemctl --quiet enable "$SERVICE"
before=none
if [ "$restart" = yes ]; then
  before=$(invocation)
  if [ -n "$changed" ]; then say "new settings:" $changed; fi
  say "starting $SERVICE $VERSION"
  systemctl reset-failed "$SERVICE" 2>/dev/null || true
  # The start of a server takes minutes: it goes on by itself, and is watched.
  systemctl --no-block restart "$SERVICE"
  mkdir -p "$(dirname "$STARTED")"
  printf '%s' "$wanted" >"$STARTED"
fi
await_for "$PATIENCE" "$NODE to be well" is_steadily_well
if is_initialised; then rm -f "$STATE/$PERMISSION"; fi
say "$NODE is well with RKE2 $VERSION"
`;
