import { script } from "../shell";
import { STATE_MOUNT } from "./prepare-volume";
import { REPORT } from "./report";

/** Which nodes are waited for. */
export interface NodeWait {
  readonly pool: string;
  /** What the pool's nodes were made from; nodes of an older generation do not count. */
  readonly generation: string;
  /** The fewest and the most that there may be. They are the same where no autoscaler decides. */
  readonly min: number;
  readonly max: number;
  /** How long a node may give no sign until it is left out, in seconds. @default 300 */
  readonly silence?: number;
  /** How long nothing may change while they are waited for, in seconds. @default 1500 */
  readonly patience?: number;
}

/**
 * Waits, on a server, until a pool is as it should be: enough nodes and not too many, all of them Ready and of the current
 * generation. A node whose machine is gone does not count: its group makes another one, and nothing but the coordinator,
 * if there is one, takes the old Node out of the list. Many nodes that are replaced one by one take long, so time is up only when nothing changes any more.
 */
export function waitForNodes({
  pool,
  generation,
  min,
  max,
  silence = 300,
  patience = 1500,
}: NodeWait): string {
  return script(
    {
      SELECTOR: `fleetwright.dev/node-pool=${pool}`,
      GENERATION: generation,
      POOL: pool,
      MIN: min,
      MAX: max,
      SILENCE: silence,
      PATIENCE: patience,
      KUBECONFIG: "/etc/rancher/rke2/rke2.yaml",
      KUBECTL: `${STATE_MOUNT}/rke2/bin/kubectl`,
    },
    REPORT,
    `
export KUBECONFIG
# One line for each node: its name, its generation, whether it is Ready, and since when it is so.
look() {
  "$KUBECTL" --request-timeout 10s get nodes --selector "$SELECTOR" \\
    --output 'jsonpath={range .items[*]}{.metadata.name} {.metadata.labels.fleetwright\\.dev/generation} {.status.conditions[?(@.type=="Ready")].status} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}{"\\n"}{end}' 2>/dev/null
}
# Unknown is what the control plane writes when a kubelet gives no sign any more.
present() {
  local name made ready since
  while read -r name made ready since; do
    if [ "$ready" = Unknown ] && [ $(($(date +%s) - $(date --date "$since" +%s))) -ge "$SILENCE" ]; then continue; fi
    if [ -n "$name" ]; then printf '%s %s %s\\n' "$name" "$made" "$ready"; fi
  done
}
seen=unknown
changed=$SECONDS
while true; do
  if nodes=$(look); then
    if [ "$nodes" != "$seen" ]; then changed=$SECONDS seen=$nodes; fi
    counted=$(present <<<"$nodes")
    all=$(printf '%s' "$counted" | grep -c . || true)
    good=$(printf '%s' "$counted" | grep -c " $GENERATION True$" || true)
    if [ "$good" -ge "$MIN" ] && [ "$all" -le "$MAX" ] && [ "$good" -eq "$all" ]; then break; fi
  fi
  if [ $((SECONDS - changed)) -ge "$PATIENCE" ]; then
    printf '%s\\n' "$seen" >&2
    refuse "the pool $POOL should have $MIN to $MAX Ready nodes of generation $GENERATION; no progress for $PATIENCE s. Its nodes are listed above. Look at the machines of its auto scaling group, and at /var/log/cloud-init-output.log and the unit fleetwright-join on them."
  fi
  sleep 1
done
left_out=$(($(printf '%s' "$nodes" | grep -c . || true) - all))
if [ "$left_out" -gt 0 ]; then say "$left_out nodes of the pool $POOL give no sign any more and were left out; see kubectl get nodes"; fi
say "$good nodes of the pool $POOL are Ready"
`,
  );
}
