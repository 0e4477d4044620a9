import { defineStackPolicy } from "../../judge/policy";
import { KEY_PAIR, USER } from "./key-strength";
import { bodyOf } from "./public-key";

export const keysUnique = defineStackPolicy({
  name: "fleet-ssh-keys-unique",
  description: "Every key belongs to one person.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  steps:
    "Give each person a key of their own, so that what was done can be told apart and one can be taken away alone.",
  types: [KEY_PAIR, USER],
  check({ stack, each, refuse }) {
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
          refuse(resource, key.path, `also a key of "${other}"`, "Give each person a key of their own.");
        }
        if (body !== "") owners.set(body, resource.urn);
      }
    });
  },
});
