import { definePolicy } from "../../judge/policy";
import { LISTENERS } from "../types";

export const tlsListener = definePolicy({
  name: "aws-lb-tls-listener",
  description: "Load balancers speak TLS, or hand it through.",
  level: "MUST",
  inProduction: true,
  severity: "high",
  sources: ["CKV_AWS_2", "CIS-E 5.4.5"],
  rules: [32],
  steps:
    "Listen by HTTPS or TLS; let a listener for HTTP do nothing but redirect. TCP is allowed: behind it the server speaks TLS itself.",
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
    if (!redirects) protocol.refuse("Listen by HTTPS, or only redirect to it.");
  },
});
