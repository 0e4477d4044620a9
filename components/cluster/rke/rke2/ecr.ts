// How nodes pull from private registries of ECR: by a credential provider of the kubelet, with the role of their instance.
import type { Statement } from "../../iam-policy";
import { yaml } from "../../yaml";
import { ASK_AWS, ASK_AWS_FILE } from "../scripts/ask-aws";
import { ECR_CREDENTIALS } from "../scripts/ecr-credentials";

const PROGRAM = "fleetwright-ecr";
/** Where RKE2 looks for credential providers; where both are there, it hands them to the kubelet. */
const FOLDER = "/var/lib/rancher/credentialprovider";

/** The files of a node that pulls from ECR, by their path. */
export function ecrFiles(): Record<string, { content: string; mode?: string }> {
  return {
    [ASK_AWS_FILE]: { content: ASK_AWS, mode: "0755" },
    [`${FOLDER}/bin/${PROGRAM}`]: { content: ECR_CREDENTIALS, mode: "0755" },
    [`${FOLDER}/config.yaml`]: {
      content: yaml({
        apiVersion: "kubelet.config.k8s.io/v1",
        kind: "CredentialProviderConfig",
        providers: [
          {
            name: PROGRAM,
            matchImages: ["*.dkr.ecr.*.amazonaws.com", "*.dkr.ecr.*.amazonaws.com.cn"],
            defaultCacheDuration: "6h",
            apiVersion: "credentialprovider.kubelet.k8s.io/v1",
          },
        ],
      }),
    },
  };
}

/** What a node has to be allowed to pull from ECR, and nothing beyond. */
export function ecrStatements(partition: string): Statement[] {
  return [
    // AWS knows no narrower resource for it.
    { actions: ["ecr:GetAuthorizationToken"], resources: ["*"] },
    {
      actions: ["ecr:BatchCheckLayerAvailability", "ecr:GetDownloadUrlForLayer", "ecr:BatchGetImage"],
      resources: [`arn:${partition}:ecr:*:*:repository/*`],
    },
  ];
}
