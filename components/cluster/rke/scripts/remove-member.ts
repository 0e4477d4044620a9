import { script } from "../shell";
import { STATE_MOUNT } from "./prepare-volume";
import { AWAIT, REPORT } from "./report";

/**
 * Takes a server out of its cluster for good, on that server: its node and with it its etcd member go, then the service,
 * and its old etcd data is put aside so that it can never start as the member that it was. The last one is left alone.
 */
export function removeMember(node: string, api: string): string {
  return script(
    {
      NODE: node,
      API: api,
      SERVICE: "rke2-server",
      DATABASE: `${STATE_MOUNT}/rke2/server/db`,
      KUBECTL: `${STATE_MOUNT}/rke2/bin/kubectl`,
      KUBECONFIG: "/etc/rancher/rke2/rke2.yaml",
    },
    REPORT,
    AWAIT,
    `
export KUBECONFIG
# By the load balancer: this server's own API ends with its membership.
kubectl() { "$KUBECTL" --server "$API" --request-timeout 15s "$@"; }
servers=$(kubectl get nodes --selector node-role.kubernetes.io/control-plane --output name) ||
  refuse "the API at $API does not answer, so it cannot be said whether $NODE may go. Nothing was changed. Repair the cluster, or run the update without this change."
if ! printf '%s\\n' "$servers" | grep -qx "node/$NODE"; then say "$NODE is no member any more"; exit 0; fi
if [ "$(printf '%s\\n' "$servers" | wc -l)" -le 1 ]; then say "$NODE is the last member and stays"; exit 0; fi
"$KUBECTL" --server "$API" drain "$NODE" --ignore-daemonsets --delete-emptydir-data --timeout 300s
kubectl delete node "$NODE" --wait
gone() { ! kubectl get node "$NODE" >/dev/null 2>&1 && [ "$(kubectl get --raw /readyz 2>/dev/null || true)" = ok ]; }
await_for 120 "$NODE to leave" gone
systemctl disable --now "$SERVICE"
mv "$DATABASE" "$DATABASE-removed-$(date +%s)"
say "$NODE has left the cluster"
`,
  );
}
