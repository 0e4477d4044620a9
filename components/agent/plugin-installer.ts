import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";
import declared from "./roles.json";

/** The arguments of `PluginInstaller`. */
export interface PluginInstallerArgs {
  /** Labels for every object. @default {} */
  labels?: Labels;
}

interface Document {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
}

type Maker = (name: string, args: object, opts: pulumi.CustomResourceOptions) => pulumi.Resource;

/** How each kind of object is declared; arguments are what `generate.ts` wrote, in the shape that Kubernetes has. */
const MAKERS: Readonly<Record<string, Maker>> = {
  Namespace: (...given) => new kubernetes.core.v1.Namespace(...given),
  ServiceAccount: (...given) => new kubernetes.core.v1.ServiceAccount(...given),
  ClusterRole: (...given) => new kubernetes.rbac.v1.ClusterRole(...given),
  ClusterRoleBinding: (name, args, opts) =>
    new kubernetes.rbac.v1.ClusterRoleBinding(name, args as kubernetes.rbac.v1.ClusterRoleBindingArgs, opts),
  Role: (...given) => new kubernetes.rbac.v1.Role(...given),
  RoleBinding: (name, args, opts) =>
    new kubernetes.rbac.v1.RoleBinding(name, args as kubernetes.rbac.v1.RoleBindingArgs, opts),
};

/**
 * The service account with whose rights the coordinator installs plugins: what the bundled plugins need, and no more. Its
 * namespace is closed to the network but for what a plugin opens for itself.
 */
export class PluginInstaller extends pulumi.ComponentResource {
  constructor(name: string, args: PluginInstallerArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:PluginInstaller", name, args, opts);
    const documents: readonly Document[] = declared.pluginInstaller;
    const namespaces: pulumi.Resource[] = [];
    for (const document of documents) {
      const { kind, metadata } = document;
      const make = MAKERS[kind];
      if (make === undefined)
        throw new Error(`roles.json has a ${kind}, which nobody here knows how to declare.`);
      const qualifiedName =
        metadata.namespace === undefined ? metadata.name : `${metadata.namespace}-${metadata.name}`;
      const own = { ...metadata, ...metadataOf(metadata.name, { ...args.labels, ...metadata.labels }) };
      const made = make(
        `${name}-${kind.toLowerCase()}-${qualifiedName}`,
        { ...document, metadata: own },
        { parent: this, dependsOn: [...namespaces] },
      );
      if (kind !== "Namespace") continue;
      namespaces.push(made);
      new kubernetes.networking.v1.NetworkPolicy(
        `${name}-${metadata.name}-closed`,
        {
          metadata: { ...metadataOf("closed", args.labels), namespace: metadata.name },
          spec: { podSelector: {}, policyTypes: ["Ingress"] },
        },
        { parent: this, dependsOn: [made] },
      );
    }
    this.registerOutputs({});
  }
}
