import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { SYSTEM_NAMESPACE } from "../../api";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed, withoutTransform, type Transform } from "../transform";

/** The arguments of `SystemNamespace`. */
export interface SystemNamespaceArgs {
  /** Who manages the cluster, recorded in the ConfigMap `fleetwright-stack`. @default the project and stack that run */
  record?: Labels;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: {
    namespace?: Transform<kubernetes.core.v1.NamespaceArgs>;
    networkPolicy?: Transform<kubernetes.networking.v1.NetworkPolicyArgs>;
    record?: Transform<kubernetes.core.v1.ConfigMapArgs>;
    priorityClass?: Transform<kubernetes.scheduling.v1.PriorityClassArgs>;
  };
}

/** The name of the priority class of our programs. */
export const PRIORITY_CLASS = "fleetwright-critical";

/**
 * The namespace of the product: closed to the network but for what each program opens for itself, and with a priority
 * that keeps the programs running when nodes get full.
 */
export class SystemNamespace extends pulumi.ComponentResource {
  /** The namespace's name. */
  readonly namespace: pulumi.Output<string>;

  constructor(name: string, args: SystemNamespaceArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:SystemNamespace", name, withoutTransform(args), opts);
    const parent = { parent: this };
    const labels = {
      ...args.labels,
      // The agent changes files of its node, which "baseline" forbids. Everything else here is "restricted", and what
      // is not gives whoever applies it a warning and is written to the audit log.
      "pod-security.kubernetes.io/enforce": "privileged",
      "pod-security.kubernetes.io/warn": "restricted",
      "pod-security.kubernetes.io/audit": "restricted",
    };
    const namespace = new kubernetes.core.v1.Namespace(
      ...transformed<kubernetes.core.v1.NamespaceArgs>(
        args.transform?.namespace,
        name,
        { metadata: metadataOf(SYSTEM_NAMESPACE, labels) },
        parent,
      ),
    );
    this.namespace = namespace.metadata.name;
    new kubernetes.networking.v1.NetworkPolicy(
      ...transformed<kubernetes.networking.v1.NetworkPolicyArgs>(
        args.transform?.networkPolicy,
        `${name}-closed`,
        {
          metadata: { ...metadataOf("closed", args.labels), namespace: this.namespace },
          spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
        },
        parent,
      ),
    );
    new kubernetes.scheduling.v1.PriorityClass(
      ...transformed<kubernetes.scheduling.v1.PriorityClassArgs>(
        args.transform?.priorityClass,
        `${name}-priority`,
        {
          metadata: metadataOf(PRIORITY_CLASS, args.labels),
          value: 900_000_000,
          description:
            "Fleetwright's own programs: before all applications, after what the cluster itself needs.",
        },
        parent,
      ),
    );
    new kubernetes.core.v1.ConfigMap(
      ...transformed<kubernetes.core.v1.ConfigMapArgs>(
        args.transform?.record,
        `${name}-record`,
        {
          metadata: { ...metadataOf("fleetwright-stack", args.labels), namespace: this.namespace },
          data: { project: pulumi.getProject(), stack: pulumi.getStack(), ...args.record },
        },
        parent,
      ),
    );
    this.registerOutputs({ namespace: this.namespace });
  }
}
