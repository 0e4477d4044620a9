import type { AwsEnvironment } from "../aws";
import { keyOf, type Login } from "./credential";
import { ecrCredential } from "./ecr";
import { googleCredential } from "./google";

/** How each provider lets in. */
export function loginWith(environment: AwsEnvironment): Login {
  return async (spec, data, signal) => {
    switch (spec.provider) {
      case "ecr":
        return ecrCredential(environment, spec, data, signal);
      case "gar":
        return googleCredential(spec, data);
      case "basic":
      case "github":
      case "gitlab":
      case "dockerhub":
      case "quay":
      case "acr":
        return { username: keyOf(spec, data, "usernameKey"), password: keyOf(spec, data, "passwordKey") };
    }
  };
}
