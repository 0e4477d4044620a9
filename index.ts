import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { CustomResources, NodeLabels, Plugins, Rbac, Registries, Users } from "./components/addons";
import { Agent, Coordinator, PluginInstaller, SystemNamespace } from "./components/agent";
import { accessToBuilt, accessToExisting, Cluster, ClusterKind } from "./components/cluster";
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

const inCluster = built === undefined ? accessToExisting(kubeContext) : accessToBuilt(built);

const system = new SystemNamespace("system", { record: { environment }, labels }, inCluster);
const { namespace } = system;
// A cluster that is not ours may hold objects of these kinds that are not ours either.
const kinds = new CustomResources("kinds", { retain: built === undefined }, inCluster);

// Programs come when all nodes are there, and spread over them.
const withKinds = { ...inCluster, dependsOn: [kinds, system, ...(built === undefined ? [] : [built])] };
const programs = [
  ...(config.coordinator === undefined
    ? []
    : [
        new Coordinator("fleetwright-coordinator", { ...config.coordinator, namespace, labels }, withKinds),
        new PluginInstaller("plugin-installer", { labels }, withKinds),
      ]),
  ...(config.agent === undefined
    ? []
    : [new Agent("fleetwright-agent", { ...config.agent, namespace, labels }, withKinds)]),
];
for (const name of ["coordinator", "agent"] as const) {
  if (config[name] === undefined)
    void pulumi.log.warn(
      `No ${name} is installed, because fleetwright:${name} names no image: what only it acts on stays as it is.`,
    );
}

// What is declared goes before the programs that act on it: they clean up after it.
const declarations = { ...inCluster, dependsOn: [kinds, system, ...programs] };
new Users("users", { users: config.users, labels }, declarations);
new Registries("registries", { registries: config.registries, namespace, labels }, declarations);
new NodeLabels("node-labels", { ...config.nodeLabels, labels }, declarations);
new Plugins("plugins", { plugins: config.plugins, labels }, declarations);
new Rbac("rbac", { roles: config.roles, bindings: config.bindings, labels }, declarations);

export = {
  /** Where the product lives in the cluster. */
  namespace,
  ...(built === undefined
    ? {}
    : { kubeconfig: built.kubeconfig, endpoint: built.endpoint, nodePools: built.nodePools }),
  /** What nodes are logged in to with. */
  ...(login === undefined ? {} : { sshPrivateKey: pulumi.secret(login) }),
};
