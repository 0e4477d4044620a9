import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const environment = config.require("environment");

const labels = {
  ...config.requireObject<Record<string, string>>("labels"),
  "app.kubernetes.io/managed-by": "fleetwright",
  "fleetwright.dev/environment": environment,
};

const cluster = new kubernetes.Provider("cluster", {
  context: config.require("kubeContext"),
  enableServerSideApply: true,
});

const system = new kubernetes.core.v1.Namespace(
  "system",
  { metadata: { name: "fleetwright-system", labels } },
  { provider: cluster },
);

const stack = new kubernetes.core.v1.ConfigMap(
  "stack",
  {
    metadata: { name: "fleetwright-stack", namespace: system.metadata.name, labels },
    data: { project: pulumi.getProject(), stack: pulumi.getStack(), environment },
  },
  { provider: cluster, parent: system },
);

/** Where the product lives in the cluster. */
export const namespace = system.metadata.name;
/** The object that says which stack manages the cluster. */
export const stackRecord = pulumi.interpolate`${stack.metadata.namespace}/${stack.metadata.name}`;
