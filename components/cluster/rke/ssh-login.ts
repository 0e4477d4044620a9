import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { types } from "@pulumi/command";
import type { LoginSettings } from "./schema";

/** A new login key, for a stack that has none. A secret. */
export function newLoginKey(name: string): pulumi.Output<string> {
  return new tls.PrivateKey(name, { algorithm: "ED25519" }).privateKeyOpenssh;
}

/** The public half of the login key, as a line of an authorized_keys file. */
export function publicKeyOf(
  login: Pick<LoginSettings, "privateKey">,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const privateKey = pulumi.output(login.privateKey);
  const isOpenSsh = privateKey.apply((key) => key.includes("BEGIN OPENSSH PRIVATE KEY"));
  const found = pulumi
    .all([privateKey, isOpenSsh])
    .apply(([key, openSsh]) =>
      tls.getPublicKeyOutput(openSsh ? { privateKeyOpenssh: key } : { privateKeyPem: key }, { parent }),
    );
  // The public half of a secret is none.
  return pulumi.unsecret(found.apply(({ publicKeyOpenssh }) => publicKeyOpenssh.trim()));
}

/**
 * The connection to a node. Its host key is always given, so that nobody in between is ever talked to. Dials are repeated
 * for as long as the command that uses it may take: a machine that boots refuses them at first.
 */
export function connectionTo(
  host: pulumi.Input<string>,
  hostKey: pulumi.Input<string>,
  login: LoginSettings,
  dialErrorLimit = 30,
): types.input.remote.ConnectionArgs {
  const { proxy } = login;
  return {
    host,
    hostKey,
    port: login.port,
    user: login.user,
    privateKey: login.privateKey,
    dialErrorLimit,
    perDialTimeout: 15,
    ...(proxy === undefined
      ? {}
      : {
          proxy: {
            host: proxy.host,
            hostKey: proxy.hostKey,
            port: proxy.port,
            user: proxy.user,
            privateKey: proxy.privateKey ?? login.privateKey,
            dialErrorLimit,
          },
        }),
  };
}
