// Declares the admission policies that hold each agent to its own node (controllers/agent/admission.ts).
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../addons/declaration";
import type { Transform } from "../transform";
import declared from "./admission.json";
import { declarePolicy, type PolicyArgs } from "./declare-policy";

/** Overrides for the admission policies of the agent. */
export interface AdmissionTransforms {
  admissionPolicy?: Transform<PolicyArgs>;
}

/** Declares the policies and their bindings. Gives the bindings: before they are there no agent should write. */
export function declareAdmission(
  parent: pulumi.ComponentResource,
  resourceName: string,
  labels: Labels,
  transform: AdmissionTransforms,
): pulumi.Resource[] {
  return declared.map((policy) => {
    const childName = `${resourceName}-${policy.name.replace(/^fleetwright-agent-/, "")}`;
    return declarePolicy(childName, policy, labels, { parent }, transform.admissionPolicy);
  });
}
