/** Where RKE2 reads what only this machine can say. */
const NODE_FILE = "/etc/rancher/rke2/config.yaml.d/10-node.yaml";

/**
 * Shell lines that tell RKE2 the node's name and where it is. Autoscalers and cloud controllers know a node by its provider
 * id only; RKE2's own would be `rke2://NAME`, and an autoscaler that cannot read one of them does nothing at all, or takes
 * the machine for one that never joined and ends it. The zone is what pods are spread by.
 */
export function nodePlace(id: string, region: string, zone: string): string {
  return `cat >${NODE_FILE} <<END
node-name: ${id}
kubelet-arg+:
  - provider-id=aws:///${zone}/${id}
node-label+:
  - topology.kubernetes.io/region=${region}
  - topology.kubernetes.io/zone=${zone}
END
chmod 0600 ${NODE_FILE}`;
}

/**
 * The same for a server, once in the life of its volume, before it first registers: a Node keeps its provider id. That one names
 * the member and no instance, because machines come and go: an id of one that is gone would let a cloud controller delete
 * the Node, and with it the member of etcd.
 */
export function memberPlace(member: string, zone: string): string {
  return `install --directory --mode 0755 "$(dirname ${NODE_FILE})"
${nodePlace(member, /^(?:[a-z]+-)+\d+/.exec(zone)?.[0] ?? zone, zone)}`;
}
