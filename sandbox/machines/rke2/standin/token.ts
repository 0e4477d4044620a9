import { createHash } from "node:crypto";
import { Failure } from "../../../../lib/failure";

const PREFIX = "K10";
const HASH_LENGTH = 64;

/** The parts of a join token. */
export interface Token {
  /** SHA-256 of the cluster's server CA; absent in the short form, which says nothing about whom one talks to. */
  caHash?: string;
  /** `server` or `node`; absent in the short form. */
  user?: string;
  password: string;
}

/** Reads a token in the full form `K10<hash>::<user>:<password>` or as a password alone. */
export function parseToken(text: string): Token {
  const token = text.trim();
  if (token === "") throw new Failure("token must not be empty");
  if (!token.startsWith(PREFIX)) return { password: token };
  const [hash, credentials] = split(token.slice(PREFIX.length), "::");
  if (credentials === undefined) throw new Failure("invalid token format");
  if (hash.length > 0 && (hash.length !== HASH_LENGTH || !/^[0-9a-f]+$/.test(hash)))
    throw new Failure("invalid token CA hash length");
  const [user, password] = split(credentials, ":");
  if (password === undefined || password === "") throw new Failure("invalid token format");
  return { ...(hash === "" ? {} : { caHash: hash }), ...(user === "" ? {} : { user }), password };
}

/** The full form. */
export function formatToken(authority: string, user: "server" | "node", password: string): string {
  return `${PREFIX}${caHash(authority)}::${user}:${password}`;
}

/** What a token holds of the authority: the digest of its file as it is. */
export function caHash(authority: string): string {
  return createHash("sha256").update(authority).digest("hex");
}

/** Refuses an authority that is not the token's. */
export function checkAuthority(token: Token, authority: string): void {
  const found = caHash(authority);
  if (token.caHash !== undefined && token.caHash !== found)
    throw new Failure(
      `token CA hash does not match the Cluster CA certificate hash: ${token.caHash} != ${found}`,
    );
}

function split(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)];
}
