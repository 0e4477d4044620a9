import { defineStackPolicy } from "../../core/policy";
import { KEY_PAIR, USER } from "./key-strength";
import { bodyOf } from "../shared/public-key";

export const keysUnique = defineStackPolicy({
  name: "product-ssh-keys-unique",
  description: "No two users share an SSH key.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  remediationSteps:
    "Give each user a key of their own, so that actions can be attributed and a key can be revoked for one user.",
  types: [KEY_PAIR, USER],
  check({ stack, each, reportViolation }) {
    const owners = new Map<string, string>();
    each(stack.of(KEY_PAIR, USER), (resource, outputs) => {
      const keys =
        resource.type === KEY_PAIR
          ? [outputs.at("publicKey")]
          : outputs
              .at("spec", "sshKeys")
              .list()
              .map((entry) => entry.at("key"));
      for (const key of keys) {
        const body = bodyOf(key.text() ?? "");
        const before = owners.get(body);
        if (before !== undefined && before !== resource.urn) {
          const other = stack.resources.find(({ urn }) => urn === before)?.name ?? "";
          reportViolation(
            resource,
            key.path,
            `also a key of "${other}"`,
            "Give each user a key of their own.",
          );
        }
        if (body !== "") owners.set(body, resource.urn);
      }
    });
  },
});
