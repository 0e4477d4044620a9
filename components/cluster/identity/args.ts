// Identity providers for the people of a cluster: the arguments.

/** Who vouches for the people who ask a cluster's API, beside the tokens that the cluster itself gives. */
export interface IdentityArgs {
  /** @default none: people have the tokens of `npm run access` */
  oidc?: OidcArgs;
}

/** A provider of OpenID Connect. */
export interface OidcArgs {
  /** Its address, exactly as tokens name it in `iss`. The API server reads its keys there. @example "https://login.example.com/realms/acme" */
  issuer: string;
  /** The client for which tokens are made, as they name it in `aud`. @example "kubernetes" */
  clientId: string;
  /** The claim with the name of the User. It must be one that people cannot choose themselves. @example "preferred_username" */
  usernameClaim: string;
  /** The claim with the person's teams. @default none: the teams are those of the User */
  groupsClaim?: string;
  /** The certificate of the authority that signed the provider's, in PEM. Only for `rke2`. @default those that the system trusts */
  ca?: string;
  /** Claims that a token must have, and their values. @default {} @example { hd: "example.com" } */
  requiredClaims?: Record<string, string>;
}
