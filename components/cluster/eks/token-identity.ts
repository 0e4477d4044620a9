import * as pulumi from "@pulumi/pulumi";

/** As whom Pulumi's provider asks AWS, beside what the environment says. */
export interface ConfiguredIdentity {
  readonly profile?: string | undefined;
  readonly assumeRoles?: readonly { roleArn?: string; externalId?: string }[] | undefined;
}

/** What the stack's `aws:profile` and `aws:assumeRoles` say. */
export function configuredIdentity(): ConfiguredIdentity {
  const config = new pulumi.Config("aws");
  return {
    profile: config.get("profile"),
    assumeRoles: config.getObject<ConfiguredIdentity["assumeRoles"]>("assumeRoles"),
  };
}

/**
 * What the AWS CLI needs to ask for a token as the same one that the stack is made as: who created a cluster is its
 * administrator, and nobody else is.
 */
export function tokenIdentity({ profile, assumeRoles = [] }: ConfiguredIdentity): {
  args: string[];
  env: { name: string; value: string }[];
} {
  const [role, second] = assumeRoles;
  if (second !== undefined || role?.externalId !== undefined) {
    throw new Error(
      `aws:assumeRoles ${second === undefined ? "has an external id" : `names ${assumeRoles.length} roles`}, and the AWS CLI, which gives EKS's tokens, assumes one role without it: ` +
        "describe the way to the role as a profile of the CLI (role_arn, source_profile, external_id), and set aws:profile to it instead.",
    );
  }
  return {
    args: [...(role?.roleArn === undefined ? [] : ["--role-arn", role.roleArn]), "--output", "json"],
    env: profile === undefined ? [] : [{ name: "AWS_PROFILE", value: profile }],
  };
}
