import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";
import { declareObject, type PlainObject } from "./plain-objects";
import declared from "./roles.json";

/** The arguments of `PluginInstaller`. */
export interface PluginInstallerArgs {
  /** Labels for every object. @default {} */
  labels?: Labels;
}

/**
 * The service account with whose rights the coordinator installs plugins: what the bundled plugins need, and no more. Its
 * namespace is closed to the network but for what a plugin opens for itself.
 */
export class PluginInstaller extends pulumi.ComponentResource {
  constructor(name: string, args: PluginInstallerArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:PluginInstaller", name, args, opts);
    const documents: readonly PlainObject[] = declared.pluginInstaller;
    const namespaces: pulumi.Resource[] = [];
    for (const document of documents) {
      const { kind, metadata } = document;
      const made = declareObject(name, document, args.labels, {
        parent: this,
        dependsOn: [...namespaces],
      });
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
