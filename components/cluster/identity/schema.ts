// The shape of the identity of people, what is wrong with it, and what no kind of cluster can do with it.
import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { found, type Problem } from "../../problem";
import { check, type ShapeOf, textMap } from "../../schema";
import { ClusterKind } from "../args";
import type { IdentityArgs, OidcArgs } from "./args";

const ISSUER_FIX =
  "use the https address that tokens have in `iss`, such as https://login.example.com, without a user, query or fragment";
const CLAIM_FIX = "use the name of a claim, such as preferred_username: 1 to 128 characters without spaces";

const claim = (): z.ZodString => z.string().refine((text) => /^\S{1,128}$/.test(text), CLAIM_FIX);

const oidc = z.strictObject({
  issuer: z
    .string()
    .refine(isIssuer, ISSUER_FIX)
    .refine(
      (issuer) => !isOwnIssuer(issuer),
      "that is the name by which the cluster itself signs tokens of service accounts; use the provider's",
    ),
  clientId: z.string().refine((text) => /^\S{1,256}$/.test(text), "use the client's id, without spaces"),
  usernameClaim: claim().refine(
    (name) => name !== "email",
    'the name of a User has no "@", so no address is one; use a claim with the name of the User',
  ),
  groupsClaim: claim().optional(),
  ca: z.string().refine(isCertificate, "use a certificate in PEM, with its BEGIN and END lines").optional(),
  requiredClaims: textMap().default({}),
} satisfies ShapeOf<OidcArgs>);

/** Who vouches for people, with all defaults. */
export const identity = z.strictObject({ oidc: oidc.optional() } satisfies ShapeOf<IdentityArgs>);

/** A provider of OpenID Connect with all defaults. */
export type OidcSettings = z.output<typeof oidc>;
/** Who vouches for people, with all defaults. */
export type IdentitySettings = z.output<typeof identity>;

/** What is wrong with the identity of people in a kind of cluster, by paths below it. */
export function identityProblems(value: unknown, kind: unknown = ClusterKind.Rke2): Problem[] {
  if (value === undefined) return [];
  const checked = check(identity, value);
  return checked.ok ? kindProblems(checked.settings, kind) : checked.problems;
}

/** What a kind of cluster cannot do. */
export function kindProblems({ oidc: provider }: IdentitySettings, kind: unknown): Problem[] {
  if (provider === undefined) return [];
  if (kind === ClusterKind.Rke)
    return [{ path: "oidc", message: "RKE knows no identity provider here: remove it, or use kind rke2" }];
  if (kind !== ClusterKind.Hosted) return [];
  return provider.ca === undefined
    ? []
    : [
        {
          path: "oidc.ca",
          message: found("a certificate", "EKS trusts public authorities only; remove it, or use kind rke2"),
        },
      ];
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /\s/.test(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === "https:" && [username, password, search, hash].every((part) => part === "");
}

function isOwnIssuer(text: string): boolean {
  return URL.canParse(text) && /^kubernetes(\.default(\.svc(\..*)?)?)?$/.test(new URL(text).hostname);
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
