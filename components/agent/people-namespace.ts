// The namespace of the people's accounts, and the admission policies that close it.
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { USERS_NAMESPACE } from "../../api";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed, withoutTransform, type Transform } from "../transform";
import { declarePolicy } from "./declare-policy";
import { PEOPLE_POLICIES } from "./people-policies";

/** The arguments of `PeopleNamespace`. */
export interface PeopleNamespaceArgs {
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: {
    namespace?: Transform<kubernetes.core.v1.NamespaceArgs>;
    networkPolicy?: Transform<kubernetes.networking.v1.NetworkPolicyArgs>;
    quota?: Transform<kubernetes.core.v1.ResourceQuotaArgs>;
  };
}

/**
 * The namespace with a service account for each User: no pod runs in it, nothing reaches into it or out of it, and tokens and
 * Secrets in it are made by administrators only, but for the tokens with which a person's grant is renewed.
 */
export class PeopleNamespace extends pulumi.ComponentResource {
  constructor(name: string, args: PeopleNamespaceArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:PeopleNamespace", name, withoutTransform(args), opts);
    const parent = { parent: this };
    const transform = args.transform ?? {};
    // Before the namespace: it is never open.
    const closed = PEOPLE_POLICIES.map((policy) =>
      declarePolicy(`${name}-${policy.name}`, policy, args.labels, parent),
    );
    const level = "restricted";
    const namespace = new kubernetes.core.v1.Namespace(
      ...transformed<kubernetes.core.v1.NamespaceArgs>(
        transform.namespace,
        name,
        {
          metadata: metadataOf(USERS_NAMESPACE, {
            ...args.labels,
            "pod-security.kubernetes.io/enforce": level,
            "pod-security.kubernetes.io/warn": level,
            "pod-security.kubernetes.io/audit": level,
            // Nobody pulls images here.
            "fleetwright.dev/service-account": "disabled",
          }),
        },
        { ...parent, dependsOn: closed },
      ),
    );
    const own = { ...metadataOf("closed", args.labels), namespace: namespace.metadata.name };
    new kubernetes.networking.v1.NetworkPolicy(
      ...transformed<kubernetes.networking.v1.NetworkPolicyArgs>(
        transform.networkPolicy,
        `${name}-closed`,
        { metadata: own, spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] } },
        parent,
      ),
    );
    new kubernetes.core.v1.ResourceQuota(
      ...transformed<kubernetes.core.v1.ResourceQuotaArgs>(
        transform.quota,
        `${name}-closed`,
        { metadata: own, spec: { hard: { pods: "0" } } },
        parent,
      ),
    );
    this.registerOutputs({});
  }
}
