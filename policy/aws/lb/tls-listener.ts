import { definePolicy } from "../../core/policy";
import { LISTENERS } from "../shared/resource-types";

export const tlsListener = definePolicy({
  name: "aws-lb-tls-listener",
  description: "Load balancer listeners use TLS or pass it through.",
  level: "MUST",
  inProduction: true,
  severity: "high",
  sources: ["CKV_AWS_2", "CIS-E 5.4.5"],
  rules: [32],
  remediationSteps:
    "Use HTTPS or TLS; an HTTP listener may only redirect. TCP is allowed, because the server behind it can terminate TLS itself.",
  types: LISTENERS,
  check({ inputs }) {
    const protocol = inputs.at("protocol");
    if (protocol.text() !== "HTTP") return;
    const redirects = inputs
      .at("defaultActions")
      .list()
      .every(
        (action) =>
          action.at("type").text() === "redirect" && action.at("redirect", "protocol").text() === "HTTPS",
      );
    if (!redirects) protocol.reportViolation("Use HTTPS, or only redirect to it.");
  },
});
