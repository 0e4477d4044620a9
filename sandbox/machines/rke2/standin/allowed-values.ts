/** The networks that `cni` can name. */
const CNIS = ["canal", "calico", "cilium", "flannel", "none"];
/** The hardening profiles. */
export const PROFILES = ["cis", "etcd"];
/** The components that `disable` can name. */
export const PACKAGED = [
  "rke2-coredns",
  "rke2-metrics-server",
  "rke2-snapshot-controller",
  "rke2-snapshot-controller-crd",
  "rke2-snapshot-validation-webhook",
  "rke2-runtimeclasses",
  "rke2-ingress-nginx",
  "rke2-traefik",
  "rke2-traefik-crd",
  "rke2-canal",
  "rke2-kube-proxy",
];

/** The primary network of `cni`, at most one; multus may stand before it. */
export function parseCni(entries: readonly string[], problems: string[]): string[] {
  const names = entries.flatMap((entry) => entry.split(","));
  const primary = names[0] === "multus" ? names.slice(1) : names;
  if (names[0] === "multus" && primary.length === 0)
    problems.push(
      "invalid value provided for --cni flag: multus must be used alongside another primary cni selection",
    );
  if (primary.length > 1)
    problems.push(
      "invalid values provided for --cni flag: may only provide multiple values if multus is the first value",
    );
  for (const name of primary)
    if (!CNIS.includes(name))
      problems.push(`invalid value provided for --cni flag: ${name}. Use one of ${CNIS.join(", ")}.`);
  return primary;
}
