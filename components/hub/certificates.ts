// The keys and certificates of a hub. Two authorities: one that vouches for the server, whose key no pod has, and one for
// clients, whose key the server needs to sign the certificates of members.
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";

const YEAR_HOURS = 365 * 24;
/** A certificate is made anew by the first update in the last month of its life. */
const RENEW_HOURS = 30 * 24;
const PRIVATE = ["privateKeyOpenssh", "privateKeyPem", "privateKeyPemPkcs8"];

/** What the certificates are made from. */
export interface CertificateArgs {
  /** The names and addresses by which the server is reached. */
  hosts: pulumi.Input<pulumi.Input<string>[]>;
  /** Whether keys that cannot be made again stay when the stack is destroyed. */
  retain: boolean;
  /** Whether kube-controller-manager needs a certificate. */
  controllerManager: boolean;
}

/** A certificate with its key, as PEM. */
export interface ClientIdentity {
  certificate: pulumi.Output<string>;
  key: pulumi.Output<string>;
}

/** What the hub and those who reach it need. */
export interface HubCertificates {
  /** The server's authority, for clients. */
  authority: pulumi.Output<string>;
  /** The files for the server, by name. */
  files: Record<string, pulumi.Output<string>>;
  /** Those of them that it reads only once, when it starts: another value needs another pod. */
  readAtStart: pulumi.Output<string>;
  admin: ClientIdentity;
  controllerManager: ClientIdentity | undefined;
}

interface Authority {
  key: tls.PrivateKey;
  certificate: tls.SelfSignedCert;
}

/** Declares them. */
export function hubCertificates(
  parent: pulumi.ComponentResource,
  name: string,
  { hosts, retain, controllerManager }: CertificateArgs,
): HubCertificates {
  const kept = { parent, protect: retain, retainOnDelete: retain };
  const privateKey = (use: string, opts: pulumi.CustomResourceOptions): tls.PrivateKey =>
    new tls.PrivateKey(
      `${name}-${use}`,
      { algorithm: "ECDSA", ecdsaCurve: "P256" },
      { ...opts, additionalSecretOutputs: PRIVATE },
    );
  const authority = (use: string): Authority => {
    const key = privateKey(`${use}-ca`, kept);
    const certificate = new tls.SelfSignedCert(
      `${name}-${use}-ca`,
      {
        privateKeyPem: key.privateKeyPem,
        subject: { commonName: `fleetwright-hub-${use}-ca` },
        isCaCertificate: true,
        allowedUses: ["digital_signature", "cert_signing", "crl_signing"],
        validityPeriodHours: 10 * YEAR_HOURS,
      },
      kept,
    );
    return { key, certificate };
  };
  const issue = (
    use: string,
    issuer: Authority,
    request: Pick<tls.CertRequestArgs, "subject" | "dnsNames" | "ipAddresses">,
    allowedUses: string[],
  ): ClientIdentity => {
    const key = privateKey(use, { parent });
    const asked = new tls.CertRequest(
      `${name}-${use}`,
      { privateKeyPem: key.privateKeyPem, ...request },
      { parent },
    );
    const certificate = new tls.LocallySignedCert(
      `${name}-${use}`,
      {
        certRequestPem: asked.certRequestPem,
        caPrivateKeyPem: issuer.key.privateKeyPem,
        caCertPem: issuer.certificate.certPem,
        allowedUses: ["digital_signature", ...allowedUses],
        validityPeriodHours: YEAR_HOURS,
        earlyRenewalHours: RENEW_HOURS,
      },
      { parent },
    );
    return { certificate: certificate.certPem, key: pulumi.secret(key.privateKeyPem) };
  };

  const servers = authority("server");
  const clients = authority("client");
  const all = pulumi.output(hosts);
  const server = issue(
    "server",
    servers,
    {
      subject: { commonName: "fleetwright-hub" },
      dnsNames: all.apply((list) => list.filter((host) => !isAddress(host))),
      ipAddresses: all.apply((list) => list.filter(isAddress)),
    },
    ["server_auth"],
  );
  const accounts = privateKey("service-accounts", kept);
  return {
    authority: servers.certificate.certPem,
    files: {
      "server-ca.crt": servers.certificate.certPem,
      "server.crt": server.certificate,
      "server.key": server.key,
      "client-ca.crt": clients.certificate.certPem,
      "client-ca.key": pulumi.secret(clients.key.privateKeyPem),
      "service-accounts.key": pulumi.secret(accounts.privateKeyPem),
      "service-accounts.pub": accounts.publicKeyPem,
    },
    readAtStart: pulumi.interpolate`${accounts.publicKeyPem}${clients.certificate.certPem}${servers.certificate.certPem}`,
    // The stack's own way in, before there is any rule about who may do what.
    admin: issue(
      "admin",
      clients,
      { subject: { commonName: "fleetwright-hub-admin", organization: "system:masters" } },
      ["client_auth"],
    ),
    controllerManager: controllerManager
      ? issue("controller-manager", clients, { subject: { commonName: "system:kube-controller-manager" } }, [
          "client_auth",
        ])
      : undefined,
  };
}

function isAddress(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) || host.includes(":");
}
