import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { CustomResources, NodeLabels, Rbac, Registries, Users } from "./components/addons";
import { Coordinator, SystemNamespace } from "./components/agent";
import { Cluster, ClusterKind } from "./components/cluster";
import { readConfig } from "./config";

const config = readConfig();
const { environment, cluster: declared, kubeContext, labels } = config;

/** What people and this program log in to nodes with; made here unless the stack has one. */
const login =
  declared !== undefined && declared.kind !== ClusterKind.Hosted
    ? (config.sshPrivateKey ?? new tls.PrivateKey("login", { algorithm: "ED25519" }).privateKeyOpenssh)
    : undefined;

const built =
  declared === undefined
    ? undefined
    : new Cluster(environment, {
        ...declared,
        ...(login === undefined
          ? {}
          : {
              selfManaged: {
                ...declared.selfManaged,
                login: { ...declared.selfManaged?.login, privateKey: login },
              },
            }),
      });

const provider = new kubernetes.Provider("cluster", {
  ...(built === undefined ? { context: kubeContext } : { kubeconfig: built.kubeconfig }),
  enableServerSideApply: true,
});
const inCluster = { providers: [provider], ...(built === undefined ? {} : { deletedWith: built }) };

const system = new SystemNamespace("system", { record: { environment }, labels }, inCluster);
const { namespace } = system;
// A cluster that is not ours may hold objects of these kinds that are not ours either.
const kinds = new CustomResources("kinds", { retain: built === undefined }, inCluster);

if (config.coordinator === undefined)
  void pulumi.log.warn(
    "No coordinator is installed, because fleetwright:coordinator names no image: nothing acts on what is declared in the cluster.",
  );
else
  new Coordinator(
    "coordinator",
    { ...config.coordinator, namespace, labels },
    { ...inCluster, dependsOn: kinds },
  );

const ofKinds = { ...inCluster, dependsOn: [kinds, system] };
new Users("users", { users: config.users, labels }, ofKinds);
new Registries("registries", { registries: config.registries, namespace, labels }, ofKinds);
new NodeLabels("node-labels", { ...config.nodeLabels, labels }, ofKinds);
new Rbac("rbac", { roles: config.roles, bindings: config.bindings, labels }, ofKinds);

export = {
  /** Where the product lives in the cluster. */
  namespace,
  ...(built === undefined
    ? {}
    : { kubeconfig: built.kubeconfig, endpoint: built.endpoint, nodePools: built.nodePools }),
  /** What nodes are logged in to with. */
  ...(login === undefined ? {} : { sshPrivateKey: pulumi.secret(login) }),
};
