import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { TokenArgs } from "./args";

/** The passwords with which nodes join. */
export interface Tokens {
  /** Opens everything: the CA's keys in etcd are encrypted with it. */
  readonly server: pulumi.Output<string>;
  /** Lets a node be an agent, no more. */
  readonly agent: pulumi.Output<string>;
}

/**
 * Makes a cluster's tokens, or takes those that are given. They come from a private key, which is as much chance as a
 * provider that we already use can give; each is a digest that says nothing of the other or of the key.
 */
export function clusterTokens(
  name: string,
  given: TokenArgs | undefined,
  retain: boolean,
  parent: pulumi.Resource,
): Tokens {
  if (given !== undefined) return { server: pulumi.secret(given.server), agent: pulumi.secret(given.agent) };
  const key = new tls.PrivateKey(
    `${name}-token`,
    { algorithm: "ED25519" },
    {
      parent,
      // Without the token no snapshot of this cluster can be read again.
      protect: retain,
      retainOnDelete: retain,
      additionalSecretOutputs: ["privateKeyOpenssh", "privateKeyPem", "privateKeyPemPkcs8"],
    },
  );
  const derived = (use: string): pulumi.Output<string> =>
    pulumi.secret(key.privateKeyPem.apply((pem) => createHmac("sha256", pem).update(use).digest("hex")));
  return { server: derived("server"), agent: derived("agent") };
}
