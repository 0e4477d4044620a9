import { definePolicy } from "../../core/policy";
import { AUTO_SCALING_GROUP } from "../shared/resource-types";

export const healthCheck = definePolicy({
  name: "aws-autoscaling-health-check",
  description: "Auto scaling groups behind a load balancer use its health checks.",
  level: "MUST",
  inProduction: true,
  severity: "low",
  sources: ["FSBP AutoScaling.1"],
  rules: [18],
  remediationSteps:
    "Set healthCheckType to ELB, so that an instance that runs but does not respond is replaced.",
  types: [AUTO_SCALING_GROUP],
  check({ inputs }) {
    const isBehind = ["targetGroupArns", "loadBalancers"].some((key) => inputs.at(key).list().length > 0);
    const type = inputs.at("healthCheckType");
    if (isBehind && type.text() !== "ELB") type.reportViolation("Set healthCheckType to ELB.");
  },
});
