import { definePolicy } from "../../core/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";

export const blockDevicesEncrypted = definePolicy({
  name: "aws-ec2-block-devices-encrypted",
  description: "Root and other block devices of instances are encrypted.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_8"],
  rules: [3],
  remediationSteps:
    "Declare the root block device with encryption. Without a declaration an instance uses the AMI's setting.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ resource, inputs }) {
    if (resource.type === LAUNCH_TEMPLATE) {
      inputs.at("blockDeviceMappings").each((mapping) => {
        const encrypted = mapping.at("ebs", "encrypted");
        if (mapping.at("ebs").isSet && encrypted.flag() !== true)
          encrypted.reportViolation('Set ebs.encrypted to "true".');
      });
      return;
    }
    const root = inputs.at("rootBlockDevice", "encrypted");
    inputs.attempt(() => {
      // What an instance takes from a launch template is evaluated there.
      const isFromTemplate = inputs.at("launchTemplate").isSet && !inputs.at("rootBlockDevice").isSet;
      if (!isFromTemplate && root.flag() !== true)
        root.reportViolation("Set rootBlockDevice.encrypted to true.");
    });
    inputs.at("ebsBlockDevices").each((device) => {
      const encrypted = device.at("encrypted");
      if (encrypted.flag() !== true) encrypted.reportViolation("Set encrypted to true.");
    });
  },
});
