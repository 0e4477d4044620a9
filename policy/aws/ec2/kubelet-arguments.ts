import { definePolicy } from "../../core/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";
import { userDataOf } from "../shared/user-data";

/** Settings that open the kubelet, as flags and as fields of its configuration, with what is wanted instead. */
const LOOSE: readonly (readonly [RegExp, string, string])[] = [
  [
    /anonymous-auth[=\s"']+true|anonymous:\s*\{?\s*enabled:\s*true/,
    "anonymous requests allowed",
    "anonymous-auth=false",
  ],
  [
    /authorization-mode[=\s"']+AlwaysAllow|mode:\s*AlwaysAllow/,
    "authorization AlwaysAllow",
    "authorization-mode=Webhook",
  ],
  [/read-only-port[=\s"']+[1-9]|readOnlyPort:\s*[1-9]/, "a read-only port", "read-only-port=0"],
  [
    /rotate-certificates[=\s"']+false|rotateCertificates:\s*false/,
    "certificates that are not rotated",
    "rotate-certificates=true",
  ],
  [
    /protect-kernel-defaults[=\s"']+false|protectKernelDefaults:\s*false/,
    "kernel settings of its own",
    "protect-kernel-defaults=true",
  ],
];

export const kubeletArguments = definePolicy({
  name: "aws-ec2-kubelet-arguments",
  description:
    "User data does not weaken the kubelet's authentication, authorization, read-only port or certificate rotation.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-E 3.2.1", "CIS-E 3.2.2", "CIS-E 3.2.4", "CIS-E 3.2.8", "CIS-E 3.2.9"],
  rules: [35],
  remediationSteps: "Keep the defaults of RKE2 and EKS.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ resource, inputs }) {
    const data = userDataOf(resource.type, inputs);
    for (const [pattern, what, wanted] of LOOSE) {
      if (data !== undefined && pattern.test(data.text))
        data.property.reportViolation(`Remove it, or set ${wanted}.`, `a kubelet with ${what}`);
    }
  },
});
