// The API server's structured authentication file. Pure.
import { TEAM_GROUP_PREFIX, USER_NAME_PREFIX } from "../../../api";
import type { OidcSettings } from "./schema";

/** The file, as far as it is looked at. */
export interface AuthenticationConfiguration {
  apiVersion: string;
  kind: string;
  jwt: object[];
}

/**
 * Whose tokens the API server takes, and whom they speak of. Names and groups have prefixes of ours, so that no claim, whoever
 * chose it, can be the name of a part of Kubernetes, of a service account or of a certificate; the rules after the mapping
 * say so once more.
 */
export function authenticationConfiguration(oidc: OidcSettings): AuthenticationConfiguration {
  const { issuer, clientId, usernameClaim, groupsClaim, ca, requiredClaims } = oidc;
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: {
          url: issuer,
          audiences: [clientId],
          ...(ca === undefined ? {} : { certificateAuthority: ca }),
        },
        claimValidationRules: Object.entries(requiredClaims).map(([claim, requiredValue]) => ({
          claim,
          requiredValue,
        })),
        claimMappings: {
          username: { claim: usernameClaim, prefix: USER_NAME_PREFIX },
          ...(groupsClaim === undefined ? {} : { groups: { claim: groupsClaim, prefix: TEAM_GROUP_PREFIX } }),
        },
        userValidationRules: [
          {
            expression: `user.username.startsWith("${USER_NAME_PREFIX}")`,
            message: "the name of a person is that of a User",
          },
          {
            expression: `user.groups.all(group, group.startsWith("${TEAM_GROUP_PREFIX}"))`,
            message: "the groups of a person are teams",
          },
        ],
      },
    ],
  };
}
