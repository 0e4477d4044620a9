import { definePolicy } from "../../judge/policy";
import { LOAD_BALANCERS } from "../types";

export const accessLogs = definePolicy({
  name: "aws-lb-access-logs",
  description: "Application load balancers write down who asked for what.",
  level: "MUST",
  inProduction: true,
  severity: "medium",
  sources: ["CKV_AWS_91", "FSBP ELB.5"],
  rules: [32],
  // A network load balancer writes access logs for TLS listeners only; one that hands TCP through has none to write.
  steps: "Give accessLogs with a bucket and enabled: true.",
  types: LOAD_BALANCERS,
  check({ inputs }) {
    if ((inputs.at("loadBalancerType").text() ?? "application") !== "application") return;
    const enabled = inputs.at("accessLogs", "enabled");
    if (enabled.flag() !== true) enabled.refuse("Give accessLogs with a bucket and enabled: true.");
  },
});
