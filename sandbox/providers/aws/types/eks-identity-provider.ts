import type { OidcIdentityProviderConfig } from "@aws-sdk/client-eks";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import { declare } from "../core/declaration";
import { identifies } from "../core/property";
import { eksTagging, gone } from "./eks-cluster";

/** Who vouches for people at a cluster's API. Nothing of it can be changed but its tags. */
export const eksIdentityProviderConfig = declare<
  aws.eks.IdentityProviderConfigArgs,
  aws.eks.IdentityProviderConfigState
>({
  token: "aws:eks/identityProviderConfig:IdentityProviderConfig",
  properties: { clusterName: identifies, oidc: identifies },
  tagging: eksTagging(),
  async create({ aws, token }, { clusterName, oidc, tags }) {
    await (
      await aws.eks()
    ).associateIdentityProviderConfig({ clientRequestToken: token, clusterName, oidc, tags });
    return `${clusterName}:${oidc.identityProviderConfigName}`;
  },
  settle: async (context, id) =>
    context.deadline.until(
      `identity provider ${id} is active`,
      async () => (await described(context, id))?.status === "ACTIVE" || undefined,
    ),
  async read(context, id) {
    const found = await described(context, id);
    if (found === undefined || found.status === "DELETING") return undefined;
    const { clientId = "", identityProviderConfigName = "", issuerUrl = "" } = found;
    return {
      arn: found.identityProviderConfigArn,
      clusterName: found.clusterName,
      oidc: {
        clientId,
        identityProviderConfigName,
        issuerUrl,
        groupsClaim: found.groupsClaim,
        groupsPrefix: found.groupsPrefix,
        requiredClaims: found.requiredClaims,
        usernameClaim: found.usernameClaim,
        usernamePrefix: found.usernamePrefix,
      },
      status: found.status,
      tags: found.tags,
    };
  },
  async delete(context, id) {
    await (await context.aws.eks()).disassociateIdentityProviderConfig(partsOf(id));
    await gone(context, `identity provider ${id}`, () => described(context, id));
  },
});

function partsOf(id: string): {
  clusterName: string;
  identityProviderConfig: { type: string; name: string };
} {
  const [clusterName = "", name = ""] = id.split(":");
  return { clusterName, identityProviderConfig: { type: "oidc", name } };
}

async function described({ aws }: AwsContext, id: string): Promise<OidcIdentityProviderConfig | undefined> {
  const eks = await aws.eks();
  return (await eks.describeIdentityProviderConfig(partsOf(id))).identityProviderConfig?.oidc;
}
