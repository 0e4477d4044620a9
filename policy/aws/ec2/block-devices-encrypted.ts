import { definePolicy } from "../../judge/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../types";

export const blockDevicesEncrypted = definePolicy({
  name: "aws-ec2-block-devices-encrypted",
  description: "The root disk and all other disks of machines are encrypted.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_8"],
  rules: [3],
  steps:
    "Describe the root disk, so that it can be encrypted: an instance that says nothing of it gets what the image has.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ resource, inputs }) {
    if (resource.type === LAUNCH_TEMPLATE) {
      inputs.at("blockDeviceMappings").each((mapping) => {
        const encrypted = mapping.at("ebs", "encrypted");
        if (mapping.at("ebs").isSet && encrypted.flag() !== true)
          encrypted.refuse('Set ebs.encrypted to "true".');
      });
      return;
    }
    const root = inputs.at("rootBlockDevice", "encrypted");
    inputs.attempt(() => {
      // What an instance takes from a template is judged there.
      const isFromTemplate = inputs.at("launchTemplate").isSet && !inputs.at("rootBlockDevice").isSet;
      if (!isFromTemplate && root.flag() !== true) root.refuse("Set rootBlockDevice.encrypted to true.");
    });
    inputs.at("ebsBlockDevices").each((device) => {
      const encrypted = device.at("encrypted");
      if (encrypted.flag() !== true) encrypted.refuse("Set encrypted to true.");
    });
  },
});
