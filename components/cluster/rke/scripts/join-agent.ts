import { INSTALL_RKE2 } from "../../../../lib/node-scripts/install-rke2";
import { ASK_AWS_FILE } from "./ask-aws";
import { ENSURE_IPTABLES } from "./ensure-iptables";
import { AWAIT, REPORT } from "./report";
import { nodePlace } from "./node-place";
import { UNPACK } from "./unpack-files";

/** Where a node of a pool finds what it needs to join, and whom it tells that it has, and that it has left. */
export interface JoinSource {
  readonly region: string;
  /** The address of AWS Systems Manager. */
  readonly endpoint: string;
  /** The name of the parameter. */
  readonly parameter: string;
  /** The address of EC2 Auto Scaling. */
  readonly groupEndpoint: string;
  /** The name of the auto scaling group. */
  readonly group: string;
  /** Shell lines about a proxy. @default "" */
  readonly proxy?: string;
}

/** Where the agent's settings are, as a shell script that the join reads. It holds no secret. */
export const JOIN_SOURCE_FILE = "/etc/fleetwright/join";

/** The hook by which a group waits until a new node is Ready. */
export const JOINED_HOOK = "joined";

/** By which a node's kubelet is known to the API. */
export const NODE_KUBECONFIG = "/var/lib/rancher/rke2/agent/kubelet.kubeconfig";

/** What a node does in its cluster under its own name: kubectl, with the kubelet's rights. */
export const AS_NODE = `
instance_id() {
  # cloud-init's own word for who this is.
  cat /var/lib/cloud/data/instance-id
}
kubectl() { /var/lib/rancher/rke2/bin/kubectl --kubeconfig ${NODE_KUBECONFIG} --request-timeout 20s "$@"; }
`;

/** The first line of the parameter: `VERSION RELEASE_URL DIGEST CIS`; the files follow as `unpack` reads them. */
export function joinHeader(version: string, releaseUrl: string, digest: string, cis: boolean): string {
  return `${version} ${releaseUrl} ${digest === "" ? "-" : digest} ${cis ? "cis" : "-"}\n`;
}

/**
 * Runs once on a new node of a pool: reads the parameter with the instance's role, installs RKE2, and starts the agent
 * under the instance's id, so that a node never takes over the name of one that is gone. When the node is Ready, the group
 * may count it. systemd repeats it until it comes to its end.
 */
export function joinAgent(cisPrerequisites: string): string {
  return `#!/bin/bash
set -euo pipefail
. ${JOIN_SOURCE_FILE}
SERVICE=rke2-agent
PREFIX=/usr/local
${REPORT}${AWAIT}${UNPACK}${INSTALL_RKE2}${ENSURE_IPTABLES}${cisPrerequisites}${AS_NODE}
join=$(${ASK_AWS_FILE} parameter "$REGION" "$ENDPOINT" "$PARAMETER")
read -r VERSION RELEASE_URL DIGEST CIS <<<"$join"
if [ "$DIGEST" = - ]; then DIGEST=""; fi
ensure_iptables
install_rke2
if [ "$CIS" = cis ]; then cis_prerequisites; fi
printf '%s\\n' "$join" | tail -n +2 | unpack >/dev/null
install --directory --mode 0755 /etc/rancher/rke2/config.yaml.d
zone=$(${ASK_AWS_FILE} zone)
${nodePlace("$(instance_id)", "$REGION", "$zone")}
systemctl daemon-reload
systemctl --quiet enable "$SERVICE"
systemctl --no-block start "$SERVICE"
await_for 600 "$SERVICE to run" systemctl --quiet is-active "$SERVICE"
is_ready() { [ "$(kubectl get node "$(instance_id)" --output 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null || true)" = True ]; }
await_for 600 "$(instance_id) to be Ready" is_ready
${ASK_AWS_FILE} go-on "$REGION" "$GROUP_ENDPOINT" "$GROUP" ${JOINED_HOOK} "$(instance_id)"
mkdir -p /var/lib/fleetwright
touch /var/lib/fleetwright/joined
say "$(instance_id) has joined"
`;
}

/** The unit that repeats the join until it is done. */
export const JOIN_UNIT = `[Unit]
Description=Join the Kubernetes cluster
After=network-online.target
Wants=network-online.target
ConditionPathExists=!/var/lib/fleetwright/joined

[Service]
Type=oneshot
ExecStart=/usr/local/sbin/fleetwright-join
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
`;
