// Declares the admission policies that hold each agent to its own node (controllers/agent/admission.ts).
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed, type Transform } from "../transform";
import declared from "./admission.json";

/** Overrides for the admission policies of the agent. */
export interface AdmissionTransforms {
  admissionPolicy?: Transform<kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyArgs>;
}

/** Declares the policies and their bindings. Gives the bindings: before they are there no agent should write. */
export function declareAdmission(
  parent: pulumi.ComponentResource,
  resourceName: string,
  labels: Labels,
  transform: AdmissionTransforms,
): pulumi.Resource[] {
  return declared.map(({ name, spec }) => {
    const childName = `${resourceName}-${name.replace(/^fleetwright-agent-/, "")}`;
    const metadata = metadataOf(name, labels);
    const policy = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
      ...transformed<kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyArgs>(
        transform.admissionPolicy,
        childName,
        { metadata, spec },
        { parent },
      ),
    );
    return new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
      childName,
      { metadata, spec: { policyName: policy.metadata.name, validationActions: ["Deny"] } },
      { parent },
    );
  });
}
