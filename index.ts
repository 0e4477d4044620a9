import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { Cluster, ClusterKind, type ClusterArgs } from "./components/cluster";

const config = new pulumi.Config();
const environment = config.require("environment");
const context = config.get("kubeContext") ?? "";
const declared = config.requireObject<ClusterArgs>("cluster");

if ((context === "") === (Object.keys(declared).length === 0)) {
  throw new pulumi.RunError(
    `Say which cluster the stack is for: either fleetwright:cluster (one to build; it has ${Object.keys(declared).length} settings) or fleetwright:kubeContext (one that is there; it is "${context}"), not both.`,
  );
}

const labels = {
  ...config.requireObject<Record<string, string>>("labels"),
  "app.kubernetes.io/managed-by": "fleetwright",
  "fleetwright.dev/environment": environment,
};

/** What people and this program log in to nodes with; made here unless the stack has one. */
const login =
  context === "" && declared.kind !== ClusterKind.Hosted
    ? (config.getSecret("sshPrivateKey") ??
      new tls.PrivateKey("login", { algorithm: "ED25519" }).privateKeyOpenssh)
    : undefined;

const built =
  context === ""
    ? new Cluster(environment, {
        ...declared,
        ...(login === undefined
          ? {}
          : {
              selfManaged: {
                ...declared.selfManaged,
                login: { ...declared.selfManaged?.login, privateKey: login },
              },
            }),
      })
    : undefined;

const provider = new kubernetes.Provider("cluster", {
  ...(built === undefined ? { context } : { kubeconfig: built.kubeconfig }),
  enableServerSideApply: true,
});
const inCluster = { provider, ...(built === undefined ? {} : { deletedWith: built }) };

const system = new kubernetes.core.v1.Namespace(
  "system",
  { metadata: { name: "fleetwright-system", labels } },
  inCluster,
);

const stack = new kubernetes.core.v1.ConfigMap(
  "stack",
  {
    metadata: { name: "fleetwright-stack", namespace: system.metadata.name, labels },
    data: { project: pulumi.getProject(), stack: pulumi.getStack(), environment },
  },
  { ...inCluster, parent: system },
);

export = {
  /** Where the product lives in the cluster. */
  namespace: system.metadata.name,
  /** The object that says which stack manages the cluster. */
  stackRecord: pulumi.interpolate`${stack.metadata.namespace}/${stack.metadata.name}`,
  ...(built === undefined
    ? {}
    : { kubeconfig: built.kubeconfig, endpoint: built.endpoint, nodePools: built.nodePools }),
  /** What nodes are logged in to with. */
  ...(login === undefined ? {} : { sshPrivateKey: pulumi.secret(login) }),
};
