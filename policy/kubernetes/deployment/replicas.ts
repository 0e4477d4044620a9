import { definePolicy } from "../../core/policy";

export const replicas = definePolicy({
  name: "kubernetes-deployment-replicas",
  description: "Deployments have at least two replicas.",
  level: "SHOULD",
  severity: "low",
  sources: ["Pulumi configureMinimumReplicaCount"],
  rules: [44],
  remediationSteps: "Set replicas to 2 or more, or use an autoscaler with minReplicas of 2 or more.",
  types: ["kubernetes:apps/v1:Deployment"],
  settings: {
    least: { type: "number", default: 2, description: "Minimum number of replicas." },
  },
  check({ inputs, settings }) {
    const count = inputs.at("spec", "replicas");
    // Without a number the API server takes one; a server-side apply that leaves it out may leave it to an autoscaler.
    const found = count.number();
    if ((found ?? 1) < settings.least) count.reportViolation(`Set replicas to ${settings.least} or more.`);
  },
});
