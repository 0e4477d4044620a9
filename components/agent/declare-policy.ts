import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed, type Transform } from "../transform";

/** What an admission policy is made of. */
export type PolicyArgs = kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyArgs;

/**
 * Declares an admission policy and its binding, which has the same name and denies. Gives the binding: once it is there, the
 * policy holds.
 */
export function declarePolicy(
  resourceName: string,
  { name, spec }: { name: string; spec: NonNullable<PolicyArgs["spec"]> },
  labels: Labels | undefined,
  opts: pulumi.CustomResourceOptions,
  transform?: Transform<PolicyArgs>,
): pulumi.Resource {
  const metadata = metadataOf(name, labels);
  const policy = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
    ...transformed<PolicyArgs>(transform, resourceName, { metadata, spec }, opts),
  );
  return new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
    resourceName,
    { metadata, spec: { policyName: policy.metadata.name, validationActions: ["Deny"] } },
    opts,
  );
}
