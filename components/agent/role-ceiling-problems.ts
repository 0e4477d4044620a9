// The checks of what an administrator lets roles give. Loads no SDK of a cloud: a stack's settings are checked before they do.
import { z } from "zod";
import { authorizationRule, type RaisedCeiling } from "../../api";
import { check, type Checked, type ShapeOf } from "../schema";

/** A rule as roles have it, but without the verbs with which there would be no ceiling any more. */
const rule = authorizationRule.superRefine(({ verbs }, context) => {
  verbs.forEach((verb, index) => {
    if (!["*", "bind", "escalate"].includes(verb)) return;
    const message =
      verb === "*"
        ? "name the verbs: all of them are also escalate and bind, with which a role could give everything"
        : "remove it: with it a role could give everything";
    context.addIssue({ code: "custom", path: ["verbs", index], message });
  });
});

/** What a stack's settings say of the ceiling. */
export const roleCeilingSettings = z.strictObject({
  cluster: z.array(rule).default([]),
  namespaces: z.array(rule).default([]),
} satisfies ShapeOf<RaisedCeiling>);

/** Finds all that is wrong with what is raised. */
export function checkRoleCeiling(raised: RaisedCeiling): Checked<object> {
  return check(roleCeilingSettings, raised);
}
