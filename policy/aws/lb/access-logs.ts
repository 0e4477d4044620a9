import { definePolicy } from "../../core/policy";
import { LOAD_BALANCERS } from "../shared/resource-types";

export const accessLogs = definePolicy({
  name: "aws-lb-access-logs",
  description: "Application load balancers write access logs.",
  level: "MUST",
  inProduction: true,
  severity: "medium",
  sources: ["CKV_AWS_91", "FSBP ELB.5"],
  rules: [32],
  // A network load balancer writes access logs for TLS listeners only; one that hands TCP through has none to write.
  remediationSteps: "Set accessLogs with a bucket and enabled: true.",
  types: LOAD_BALANCERS,
  check({ inputs }) {
    if ((inputs.at("loadBalancerType").text() ?? "application") !== "application") return;
    const enabled = inputs.at("accessLogs", "enabled");
    if (enabled.flag() !== true) enabled.reportViolation("Set accessLogs with a bucket and enabled: true.");
  },
});
