import { definePolicy } from "../../judge/policy";
import { INSTANCE } from "../types";

export const instanceRole = definePolicy({
  name: "aws-ec2-instance-role",
  description: "Machines have a role of their own.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV2_AWS_41"],
  rules: [19],
  steps:
    "Give the instance a profile with a role, so that nobody is tempted to lay keys on it. Launch templates of EKS get theirs from the node group and are not judged.",
  types: [INSTANCE],
  check({ inputs }) {
    const profile = inputs.at("iamInstanceProfile");
    if (!profile.isSet && !inputs.at("launchTemplate").isSet) profile.refuse("Give iamInstanceProfile.");
  },
});
