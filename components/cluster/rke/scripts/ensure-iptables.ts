/**
 * RKE2 says that its network, Canal by default, calls `iptables` on the node: without it pods with host ports, the ingress controller
 * among them, never start (rke2#3361). Debian's images for the cloud do not have it, and RKE2 brings none.
 */
export const ENSURE_IPTABLES = `
ensure_iptables() {
  if command -v iptables >/dev/null; then return; fi
  local apt="apt-get -q -o DPkg::Lock::Timeout=120"
  { $apt update && DEBIAN_FRONTEND=noninteractive $apt -y install iptables; } >/dev/null ||
    refuse "the image has no iptables, which RKE2's network needs, and apt brought none. Choose an image that has it."
}
`;
