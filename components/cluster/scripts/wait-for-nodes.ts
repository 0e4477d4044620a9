import { script } from "../shell";
import { STATE_MOUNT } from "./prepare-volume";
import { AWAIT, REPORT } from "./report";

/** Which nodes are waited for. */
export interface NodeWait {
  readonly pool: string;
  /** What the pool's nodes were made from; nodes of an older generation do not count. */
  readonly generation: string;
  readonly count: number;
  /** In seconds. @default 900 */
  readonly patience?: number;
}

/** Waits, on a server, until as many nodes of a pool as were asked for are Ready. */
export function waitForNodes({ pool, generation, count, patience = 900 }: NodeWait): string {
  return script(
    {
      SELECTOR: `fleetwright.dev/node-pool=${pool},fleetwright.dev/generation=${generation}`,
      POOL: pool,
      COUNT: count,
      PATIENCE: patience,
      SERVICE: "",
      KUBECONFIG: "/etc/rancher/rke2/rke2.yaml",
      KUBECTL: `${STATE_MOUNT}/rke2/bin/kubectl`,
    },
    REPORT,
    AWAIT,
    `
export KUBECONFIG
ready_nodes() {
  "$KUBECTL" --request-timeout 10s get nodes --selector "$SELECTOR" \\
    --output 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}' 2>/dev/null | grep -c '^True$' || true
}
enough() { [ "$(ready_nodes)" -ge "$COUNT" ]; }
await_for "$PATIENCE" "$COUNT Ready nodes of the pool $POOL" enough
say "$COUNT nodes of the pool $POOL are Ready"
`,
  );
}
