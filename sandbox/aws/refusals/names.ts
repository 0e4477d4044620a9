import { text } from "../call";
import type { RefusalRule } from "../rule";
import { NAME_RULES, userDataRefusal } from "./name-rules";

/** Names of AWS's length and characters: moto takes most of any length. */
export const names: RefusalRule = {
  name: "names",
  calls: [...new Set(NAME_RULES.flatMap(({ calls }) => calls))],
  check(call) {
    const action = `${call.service}:${call.action}`;
    for (const rule of NAME_RULES.filter(({ calls }) => calls.includes(action))) {
      const name = text(call, rule.parameter);
      const refusal = name === undefined ? undefined : rule.refusal(name);
      if (refusal !== undefined) return Promise.resolve(refusal);
    }
    return Promise.resolve(undefined);
  },
};

/** Where calls carry user data. */
const USER_DATA = ["UserData", "LaunchTemplateData.UserData", "UserData.Value"];

/** No more user data than EC2 takes. */
export const userData: RefusalRule = {
  name: "user data",
  calls: [
    "ec2:RunInstances",
    "ec2:ModifyInstanceAttribute",
    "ec2:CreateLaunchTemplate",
    "ec2:CreateLaunchTemplateVersion",
    "autoscaling:CreateLaunchConfiguration",
  ],
  check(call) {
    const data = USER_DATA.flatMap((name) => text(call, name) ?? []);
    return Promise.resolve(data.map(userDataRefusal).find((refusal) => refusal !== undefined));
  },
};
