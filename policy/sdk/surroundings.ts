import * as pulumi from "@pulumi/pulumi";
import { NAMESPACE, type Surroundings, surroundingsOf } from "../judge/surroundings";

/** What the stack under judgement says; the language host gives its config to the pack when it starts. */
export function surroundings(): Surroundings {
  known ??= read();
  return known;
}

let known: Surroundings | undefined;

function read(): Surroundings {
  const config = new pulumi.Config(NAMESPACE);
  return surroundingsOf(
    {
      exemptions: config.getObject("exemptions"),
      settings: config.getObject("settings"),
      environment: config.get("environment"),
    },
    pulumi.getStack(),
  );
}
