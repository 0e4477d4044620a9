import { METRICS_PORT } from "../../../api/agent-pod-requirements";

/** Who a rule is for, or from. */
export type Side = "servers" | "agents" | "balancer" | "public" | "runner";

/** An ingress rule between the machines of a cluster. */
export interface PortRule {
  readonly to: Side;
  readonly from: Side;
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly first: number;
  readonly last: number;
  readonly why: string;
}

interface Ports {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly first: number;
  readonly last?: number;
  readonly why: string;
}

/**
 * The networks for pods that RKE2 brings, and what they need between nodes. Ports 9098 and 9099, which RKE2's page of
 * requirements names, are not among it: there Typha and Felix tell their health to the kubelet of the same node.
 */
export const NETWORKS: Readonly<Record<string, readonly Ports[]>> = {
  canal: [{ protocol: "udp", first: 8472, why: "pods (VXLAN of canal)" }],
  cilium: [
    { protocol: "udp", first: 8472, why: "pods (VXLAN of cilium)" },
    { protocol: "tcp", first: 4240, why: "health of cilium" },
    { protocol: "icmp", first: 8, last: 0, why: "health of cilium" },
  ],
  calico: [
    { protocol: "tcp", first: 179, why: "routes (BGP of calico)" },
    { protocol: "udp", first: 4789, why: "pods (VXLAN of calico)" },
    { protocol: "tcp", first: 5473, why: "typha of calico" },
  ],
  flannel: [{ protocol: "udp", first: 8472, why: "pods (VXLAN of flannel)" }],
};

const NODES: readonly Side[] = ["servers", "agents"];

/**
 * The ingress rules that an RKE2 cluster needs between its own machines, and no others. Prometheus, wherever its pod runs,
 * asks the agent on every node, and at `metricsPorts` whatever else there is.
 */
export function portRules(cni: string, metricsPorts: readonly number[] = []): PortRule[] {
  const rule = (to: Side, from: Side, ports: Ports): PortRule => ({ last: ports.first, ...ports, to, from });
  const api: Ports = { protocol: "tcp", first: 6443, why: "Kubernetes API" };
  const join: Ports = { protocol: "tcp", first: 9345, why: "registration of nodes" };
  const fromAll = [...NODES, "balancer" as const];
  const rules = [
    // An agent learns the servers' own addresses and balances over them by itself.
    ...fromAll.flatMap((from) => [rule("servers", from, api), rule("servers", from, join)]),
    ...NODES.flatMap((from) => [rule("balancer", from, api), rule("balancer", from, join)]),
    // Its metrics at 2381 are served to the server itself, unless `etcd-expose-metrics` is set: then `metricsPorts` names them.
    rule("servers", "servers", { protocol: "tcp", first: 2379, last: 2380, why: "etcd" }),
    ...NODES.flatMap((to) =>
      NODES.flatMap((from) => [
        rule(to, from, { protocol: "tcp", first: 10250, why: "kubelet" }),
        ...(NETWORKS[cni] ?? []).map((ports) => rule(to, from, ports)),
      ]),
    ),
  ];
  const isOpen = (port: number, to: Side, from: Side): boolean =>
    rules.some(
      (one) =>
        one.protocol === "tcp" && one.to === to && one.from === from && one.first <= port && port <= one.last,
    );
  const metrics = [...new Set([METRICS_PORT, ...metricsPorts])].flatMap((first) =>
    NODES.flatMap((to) =>
      NODES.filter((from) => !isOpen(first, to, from)).map((from) =>
        rule(to, from, {
          protocol: "tcp",
          first,
          why: first === METRICS_PORT ? "metrics of the agent" : "metrics",
        }),
      ),
    ),
  );
  return [...rules, ...metrics];
}

/** What a load balancer that faces the internet needs: the API, and never the registration of nodes. */
export const PUBLIC_RULES: readonly PortRule[] = [
  { to: "servers", from: "public", protocol: "tcp", first: 6443, last: 6443, why: "Kubernetes API" },
];

/**
 * The ingress rules of an RKE cluster: it registers nothing at a port of its own, and its runner logs in to every node and asks
 * the API.
 */
export function rkePortRules(sshPort: number, metricsPorts: readonly number[] = []): PortRule[] {
  const fromRunner = (to: Side, port: number, why: string): PortRule => ({
    to,
    from: "runner",
    protocol: "tcp",
    first: port,
    last: port,
    why,
  });
  return [
    ...portRules("canal", metricsPorts).filter(({ first }) => first !== 9345),
    fromRunner("servers", sshPort, "RKE"),
    fromRunner("agents", sshPort, "RKE"),
    fromRunner("servers", 6443, "Kubernetes API for RKE"),
    fromRunner("balancer", 6443, "Kubernetes API for RKE"),
  ];
}
