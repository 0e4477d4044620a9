import { definePolicy } from "../../core/policy";
import { INGRESS_TYPES, eachOpenIngress } from "../shared/ingress-rules";

export const sshNotOpen = definePolicy({
  name: "aws-ec2-ssh-not-open",
  description: "SSH is not open to the internet.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_24", "FSBP EC2.19", "CT.EC2.PR.3", "CT.EC2.PR.4"],
  rules: [10],
  remediationSteps: "Allow only your own CIDR ranges, or use Systems Manager and open no port.",
  types: INGRESS_TYPES,
  settings: {
    ports: { type: "array", items: { type: "string" }, default: ["22"], description: "SSH ports." },
  },
  check({ resource, inputs, settings }) {
    eachOpenIngress(resource.type, inputs, ({ from, first, last }) => {
      const port = settings.ports.find((one) => Number(one) >= first && Number(one) <= last);
      if (port !== undefined)
        from.reportViolation(
          `List the CIDR ranges that may use port ${port} (the rule opens ${first}-${last}).`,
        );
    });
  },
});
