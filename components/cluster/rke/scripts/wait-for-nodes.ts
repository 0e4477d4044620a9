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
  /** How long nothing may change while they are waited for, in seconds. @default 1500 */
  readonly patience?: number;
}

/**
 * Waits, on a server, until a pool is as it should be: enough nodes and not too many, all of them Ready and of the current
 * generation. Many nodes that are replaced one by one take long, so time is up only when nothing changes any more.
 */
export function waitForNodes({ pool, generation, min, max, patience = 1500 }: NodeWait): string {
  return script(
    {
      SELECTOR: `fleetwright.dev/node-pool=${pool}`,
      GENERATION: generation,
      POOL: pool,
      MIN: min,
      MAX: max,
      PATIENCE: patience,
      KUBECONFIG: "/etc/rancher/rke2/rke2.yaml",
      KUBECTL: `${STATE_MOUNT}/rke2/bin/kubectl`,
    },
    REPORT,
    `
export KUBECONFIG
# One line for each node: its name, its generation and whether it is Ready.
look() {
  "$KUBECTL" --request-timeout 10s get nodes --selector "$SELECTOR" \\
    --output 'jsonpath={range .items[*]}{.metadata.name} {.metadata.labels.fleetwright\\.dev/generation} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}' 2>/dev/null
}
seen=unknown
changed=$SECONDS
while true; do
  if nodes=$(look); then
    if [ "$nodes" != "$seen" ]; then changed=$SECONDS seen=$nodes; fi
    all=$(printf '%s' "$nodes" | grep -c . || true)
    good=$(printf '%s' "$nodes" | grep -c " $GENERATION True$" || true)
    if [ "$good" -ge "$MIN" ] && [ "$all" -le "$MAX" ] && [ "$good" -eq "$all" ]; then break; fi
  fi
  if [ $((SECONDS - changed)) -ge "$PATIENCE" ]; then
    printf '%s\\n' "$seen" >&2
    refuse "the pool $POOL should have $MIN to $MAX Ready nodes of generation $GENERATION; no progress for $PATIENCE s. Its nodes are listed above. Look at the machines of its auto scaling group, and at /var/log/cloud-init-output.log and the unit fleetwright-join on them."
  fi
  sleep 1
done
say "$good nodes of the pool $POOL are Ready"
`,
  );
}
