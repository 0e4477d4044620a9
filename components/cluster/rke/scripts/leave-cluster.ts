import { ASK_AWS_FILE } from "./ask-aws";
import { AS_NODE, JOIN_SOURCE_FILE, NODE_KUBECONFIG } from "./join-agent";
import { REPORT } from "./report";

/** The hook by which a group waits until a node has left the cluster. */
export const LEFT_HOOK = "left";

/** How long pods may take to go, in seconds. */
export const DRAIN_SECONDS = 600;

/** How long the cluster may give no answer before its node stops waiting for one, in seconds: it may be gone for good. */
const UNANSWERED_SECONDS = 180;

/** Where the program lies on a node. */
export const LEAVE_FILE = "/usr/local/sbin/fleetwright-leave";

/**
 * Runs on every node of a pool, and waits until its group wants to end the machine: because it shrinks, replaces its nodes or
 * moves one to another zone. Then the node takes no more pods, its own are evicted as far as their disruption budgets
 * allow, and it leaves the cluster; only then may the machine end. It acts as the kubelet, which may evict its own node's
 * pods and no others.
 */
export const LEAVE = `#!/bin/bash
set -euo pipefail
. ${JOIN_SOURCE_FILE}
${REPORT}${AS_NODE}
until [ "$(${ASK_AWS_FILE} lifecycle-state 2>/dev/null || true)" = Terminated ]; do sleep 3; done
node=$(instance_id)
SECONDS=0
patience=${DRAIN_SECONDS}
# A machine that never became a node has nobody to drain and nothing to leave.
if [ ! -e ${NODE_KUBECONFIG} ]; then patience=0; fi
say "leaving the cluster"
kubectl cordon "$node" || true
guests() {
  kubectl get pods --all-namespaces --field-selector "spec.nodeName=$node" \\
    --output 'jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name} {.status.phase} {.metadata.ownerReferences[0].kind}{"\\n"}{end}' |
    awk '$3 != "Succeeded" && $3 != "Failed" && $4 != "DaemonSet" && $4 != "Node" { print $1, $2 }'
}
answered=$SECONDS
while [ "$SECONDS" -lt "$patience" ]; do
  # Without an answer nothing is known of the pods.
  if left=$(guests 2>/dev/null); then
    answered=$SECONDS
    if [ -z "$left" ]; then break; fi
    while read -r namespace name; do
      printf '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"%s","name":"%s"}}' "$namespace" "$name" |
        kubectl create --raw "/api/v1/namespaces/$namespace/pods/$name/eviction" --filename - >/dev/null 2>&1 || true
    done <<<"$left"
  elif [ "$((SECONDS - answered))" -ge ${UNANSWERED_SECONDS} ]; then
    say "the cluster gives no answer: leaving it without a drain"
    break
  fi
  sleep 2
done
kubectl delete node "$node" --wait=false || { sleep 5; kubectl delete node "$node" --wait=false; } || say "the node stays in the cluster's list"
systemctl stop rke2-agent || true
until ${ASK_AWS_FILE} go-on "$REGION" "$GROUP_ENDPOINT" "$GROUP" ${LEFT_HOOK} "$node"; do sleep 3; done
say "left the cluster"
`;

/** The unit that runs it. */
export const LEAVE_UNIT = `[Unit]
Description=Leave the Kubernetes cluster before this machine ends
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${LEAVE_FILE}
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
`;
