import { defineStackPolicy } from "../../core/policy";
import type { Property } from "../../core/property";

const NAMESPACE = "kubernetes:core/v1:Namespace";
const NETWORK_POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy";

export const defaultDeny = defineStackPolicy({
  name: "kubernetes-namespace-default-deny",
  description: "Every namespace has a default-deny ingress NetworkPolicy.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.3.2", "CIS-E 4.3.2", "NSA network"],
  rules: [43],
  remediationSteps:
    "Create a NetworkPolicy with an empty podSelector, policyTypes Ingress and no ingress rules.",
  types: [NAMESPACE],
  alsoReads: [NETWORK_POLICY],
  check({ stack, outputs, each, reportViolation, reportUnknown }) {
    const closing = stack.of(NETWORK_POLICY).filter((policy) => closes(outputs(policy)));
    each(stack.of(NAMESPACE), (namespace, properties) => {
      const name = properties.at("metadata", "name").textIfKnown();
      const isClosed = closing.some(
        (policy) =>
          stack.behind(policy, "metadata").some(({ urn }) => urn === namespace.urn) ||
          (name !== undefined && outputs(policy).at("metadata", "namespace").textIfKnown() === name),
      );
      const mayBe = closing.some(
        (policy) =>
          stack.behind(policy, "metadata").length === 0 &&
          outputs(policy).at("metadata", "namespace").textIfKnown() === undefined,
      );
      if (!isClosed && mayBe) reportUnknown(namespace, "its NetworkPolicy", "is not known yet");
      else if (!isClosed)
        reportViolation(
          namespace,
          "",
          "no default-deny ingress NetworkPolicy",
          "Create a NetworkPolicy with podSelector {} and policyTypes [Ingress].",
        );
    });
  },
});

/** Whether a policy is about all pods and lets nothing in; what is not known yet closes nothing. */
function closes(policy: Property): boolean {
  let result = false;
  policy.attempt(() => {
    const spec = policy.at("spec");
    const selects = spec.at("podSelector");
    result =
      selects.at("matchLabels").fields().length === 0 &&
      selects.at("matchExpressions").list().length === 0 &&
      spec.at("ingress").list().length === 0 &&
      (!spec.at("policyTypes").isSet || spec.at("policyTypes").texts().includes("Ingress"));
  });
  return result;
}
