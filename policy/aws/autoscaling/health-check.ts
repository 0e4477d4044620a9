import { definePolicy } from "../../judge/policy";
import { AUTO_SCALING_GROUP } from "../types";

export const healthCheck = definePolicy({
  name: "aws-autoscaling-health-check",
  description: "An auto scaling group behind a load balancer goes by its health checks.",
  level: "MUST",
  inProduction: true,
  severity: "low",
  sources: ["FSBP AutoScaling.1"],
  rules: [18],
  steps: "Set healthCheckType to ELB: a machine that runs and does not answer is replaced then.",
  types: [AUTO_SCALING_GROUP],
  check({ inputs }) {
    const isBehind = ["targetGroupArns", "loadBalancers"].some((key) => inputs.at(key).list().length > 0);
    const type = inputs.at("healthCheckType");
    if (isBehind && type.text() !== "ELB") type.refuse("Set healthCheckType to ELB.");
  },
});
