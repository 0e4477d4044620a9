import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Cluster } from "./cluster";

/** The options of whatever is declared inside a cluster: what it is made with, and what it goes with. */
export interface Access {
  providers: kubernetes.Provider[];
  deletedWith?: pulumi.Resource;
}

/**
 * Access to a cluster of this stack. What is in it goes with it: a `destroy` asks the cluster nothing, and so also works when
 * it is dead. Everything else waits until it answers again, so that nothing is forgotten that is still in it.
 */
export function accessToBuilt(
  cluster: Cluster,
  kubeconfig: pulumi.Input<string> = cluster.kubeconfig,
): Access {
  const provider = new kubernetes.Provider("cluster", {
    kubeconfig,
    // Otherwise a kubeconfig that is read again, or another address of the API, would replace everything in the cluster.
    clusterIdentifier: `${ownStack()}/${cluster.name}`,
    enableServerSideApply: true,
    // What the stack records about itself changes in place: it is never missing when somebody looks.
    enableConfigMapMutable: true,
  });
  return { providers: [provider], deletedWith: cluster };
}

/**
 * Access to a cluster that somebody else keeps. If it is gone for good, a `destroy` forgets what was in it and says so. The
 * provider would do the same in every other operation, and a user who is taken out of the file while the cluster cannot be
 * reached would keep his access; so each of them first looks at something that every cluster has, and stops there.
 */
export function accessToExisting(context: pulumi.Input<string>): Access {
  const clusterIdentifier = `${ownStack()}/existing`;
  // Without server-side apply: it only reads, and would otherwise note another field manager each time.
  const witness = new kubernetes.Provider("cluster-witness", {
    context,
    clusterIdentifier,
    enableServerSideApply: false,
  });
  kubernetes.core.v1.Namespace.get("cluster-reached", "kube-system", { provider: witness });
  const provider = new kubernetes.Provider("cluster", {
    context,
    clusterIdentifier,
    enableServerSideApply: true,
    enableConfigMapMutable: true,
    deleteUnreachable: true,
  });
  return { providers: [provider] };
}

function ownStack(): string {
  return `${pulumi.getProject()}/${pulumi.getStack()}`;
}
