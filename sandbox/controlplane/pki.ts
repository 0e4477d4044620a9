// The certificates of a control plane: made, kept and renewed.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { allEnded } from "../../lib/all-ended";
import { Failure } from "../../lib/failure";
import {
  certifiedKey,
  daysFromNow,
  generateKey,
  publicKeyOf,
  type CertificateRequest,
  type CertificateSubject,
  type CertifiedKey,
  type SubjectNames,
} from "./certificate";
import { readIfPresent, writePrivate } from "../../lib/files";
import { certificateFiles, type Layout } from "./layout";
import { CLUSTER_DOMAIN, SERVICE_ADDRESS } from "./network";

const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;
const RENEW_BEFORE_DAYS = 30;

/** The group of the admin kubeconfig, bound to cluster-admin by a ClusterRoleBinding that can be taken away. */
export const ADMIN_GROUP = "fleetwright:cluster-admins";

/** The user that kwok acts as. */
export const KWOK_USER = "fleetwright:kwok";

/** The user that the API server is for kubelets. */
export const KUBELET_CLIENT_USER = "kube-apiserver-kubelet-client";

const authorities = {
  ca: "fleetwright-sandbox-ca",
  "etcd-ca": "fleetwright-sandbox-etcd-ca",
  "front-proxy-ca": "fleetwright-sandbox-front-proxy-ca",
} as const;

/** The name of a certificate authority, which is also the name of its files. */
export type AuthorityName = keyof typeof authorities;

interface Leaf {
  authority: AuthorityName;
  subject: CertificateSubject;
  /** Where it is a server: the names it is reached by. */
  server?: SubjectNames;
  client?: boolean;
}

const loopback: SubjectNames = { dns: ["localhost"], ips: ["127.0.0.1"] };

const leaves = {
  apiserver: {
    authority: "ca",
    subject: { commonName: "kube-apiserver" },
    server: {
      dns: [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        `kubernetes.default.svc.${CLUSTER_DOMAIN}`,
      ],
      ips: ["127.0.0.1", SERVICE_ADDRESS],
    },
  },
  "apiserver-etcd-client": {
    authority: "etcd-ca",
    subject: { commonName: "kube-apiserver-etcd-client" },
    client: true,
  },
  "apiserver-kubelet-client": { authority: "ca", subject: { commonName: KUBELET_CLIENT_USER }, client: true },
  "front-proxy-client": {
    authority: "front-proxy-ca",
    subject: { commonName: "front-proxy-client" },
    client: true,
  },
  // etcd calls itself over its own client port, so its server certificate is a client certificate too.
  "etcd-server": { authority: "etcd-ca", subject: { commonName: "etcd" }, server: loopback, client: true },
  "etcd-peer": { authority: "etcd-ca", subject: { commonName: "etcd-peer" }, server: loopback, client: true },
  "controller-manager-server": {
    authority: "ca",
    subject: { commonName: "kube-controller-manager" },
    server: loopback,
  },
  "scheduler-server": { authority: "ca", subject: { commonName: "kube-scheduler" }, server: loopback },
  "kwok-server": { authority: "ca", subject: { commonName: "kwok" }, server: loopback },
  "controller-manager": {
    authority: "ca",
    subject: { commonName: "system:kube-controller-manager" },
    client: true,
  },
  scheduler: { authority: "ca", subject: { commonName: "system:kube-scheduler" }, client: true },
  kwok: { authority: "ca", subject: { commonName: KWOK_USER }, client: true },
  admin: {
    authority: "ca",
    subject: { commonName: "fleetwright-admin", organizations: [ADMIN_GROUP] },
    client: true,
  },
} as const satisfies Record<string, Leaf>;

/** The name of a certificate, which is also the name of its files. */
export type LeafName = keyof typeof leaves;

/** Everything of a control plane that is signed. */
export interface Pki {
  authorities: Record<AuthorityName, CertifiedKey>;
  leaves: Record<LeafName, CertifiedKey>;
}

/** Makes what is missing, renews what expires soon, keeps the authorities and the service account key. */
export async function ensurePki(layout: Layout): Promise<Pki> {
  const [ca, etcdCa, frontProxyCa] = await allEnded([
    ensureAuthority(layout, "ca"),
    ensureAuthority(layout, "etcd-ca"),
    ensureAuthority(layout, "front-proxy-ca"),
    ensureServiceAccountKey(layout),
  ]);
  const made = { ca, "etcd-ca": etcdCa, "front-proxy-ca": frontProxyCa };
  const pairs = await allEnded(
    Object.entries<Leaf>(leaves).map(async ([name, leaf]) => {
      return [name, await ensureLeaf(layout, name, leaf, made[leaf.authority])] as const;
    }),
  );
  const all: Partial<Record<string, CertifiedKey>> = Object.fromEntries(pairs);
  return { authorities: made, leaves: complete(all) };
}

/** A client certificate for any user, signed by the cluster's authority; kept nowhere. */
export async function clientCertificate(
  authority: CertifiedKey,
  user: string,
  groups: readonly string[],
  notAfter: Date = daysFromNow(CERTIFICATE_DAYS),
): Promise<CertifiedKey> {
  return certifiedKey({ ...requestOf(clientLeaf(user, groups)), notAfter }, authority);
}

/** Why a stored certificate cannot be used any more, or undefined where it can. */
export function renewalReason(
  stored: CertifiedKey,
  leaf: { subject: CertificateSubject; server?: SubjectNames },
  authority: CertifiedKey,
  now: Date,
): string | undefined {
  const certificate = new X509Certificate(stored.certificate);
  const issuer = new X509Certificate(authority.certificate);
  const expires = new Date(certificate.validTo);
  if (expires.getTime() - now.getTime() < RENEW_BEFORE_DAYS * 24 * 3600 * 1000)
    return `expires ${certificate.validTo}`;
  if (!certificate.checkPrivateKey(createPrivateKey(stored.key))) return "does not belong to its key";
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey))
    return "has another authority";
  if (certificate.subject !== subjectText(leaf.subject))
    return `is for another subject: ${certificate.subject}`;
  const missing = [
    ...(leaf.server?.dns ?? []).filter((name) => certificate.checkHost(name) === undefined),
    ...(leaf.server?.ips ?? []).filter((address) => certificate.checkIP(address) === undefined),
  ];
  return missing.length > 0 ? `lacks the names ${missing.join(", ")}` : undefined;
}

async function ensureAuthority(layout: Layout, name: AuthorityName): Promise<CertifiedKey> {
  const stored = await load(layout, name);
  if (stored !== undefined) {
    const { validTo } = new X509Certificate(stored.certificate);
    if (new Date(validTo) > new Date()) return stored;
    throw new Failure(
      `The certificate authority ${certificateFiles(layout, name).certificate} expired on ${validTo}. ` +
        `Remove ${layout.pki} to have new certificates; kubeconfigs and service account tokens made so far become invalid.`,
    );
  }
  const request: CertificateRequest = {
    subject: { commonName: authorities[name] },
    usages: ["digitalSignature", "certificateSigning", "crlSigning"],
    authority: true,
    notAfter: daysFromNow(AUTHORITY_DAYS),
  };
  return store(layout, name, await certifiedKey(request));
}

async function ensureLeaf(
  layout: Layout,
  name: string,
  leaf: Leaf,
  authority: CertifiedKey,
): Promise<CertifiedKey> {
  const stored = await load(layout, name);
  if (stored !== undefined && renewalReason(stored, leaf, authority, new Date()) === undefined) return stored;
  return store(layout, name, await certifiedKey(requestOf(leaf), authority));
}

async function ensureServiceAccountKey(layout: Layout): Promise<void> {
  const files = serviceAccountKeyFiles(layout);
  const key = (await readIfPresent(files.key)) ?? (await generateKey());
  await writePrivate(files.key, key);
  await writePrivate(files.publicKey, publicKeyOf(key));
}

/** The files of the key that signs service account tokens. */
export function serviceAccountKeyFiles(layout: Layout): { key: string; publicKey: string } {
  const { key } = certificateFiles(layout, "service-account");
  return { key, publicKey: key.replace(/\.key$/, ".pub") };
}

async function load(layout: Layout, name: string): Promise<CertifiedKey | undefined> {
  const files = certificateFiles(layout, name);
  const [certificate, key] = await Promise.all([readIfPresent(files.certificate), readIfPresent(files.key)]);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

// The key goes first: a certificate on disk then always has its key, whatever happens in between.
async function store(layout: Layout, name: string, made: CertifiedKey): Promise<CertifiedKey> {
  const files = certificateFiles(layout, name);
  await writePrivate(files.key, made.key);
  await writePrivate(files.certificate, made.certificate);
  return made;
}

function clientLeaf(user: string, groups: readonly string[]): Leaf {
  return { authority: "ca", subject: { commonName: user, organizations: groups }, client: true };
}

function requestOf(leaf: Leaf): CertificateRequest {
  return {
    subject: leaf.subject,
    usages: [
      "digitalSignature",
      ...(leaf.server === undefined ? [] : (["serverAuth"] as const)),
      ...(leaf.client === true ? (["clientAuth"] as const) : []),
    ],
    ...(leaf.server === undefined ? {} : { names: leaf.server }),
    notAfter: daysFromNow(CERTIFICATE_DAYS),
  };
}

function subjectText(subject: CertificateSubject): string {
  return [...(subject.organizations ?? []).map((name) => `O=${name}`), `CN=${subject.commonName}`].join("\n");
}

function complete(found: Partial<Record<string, CertifiedKey>>): Record<LeafName, CertifiedKey> {
  if (hasEveryLeaf(found)) return found;
  throw new Failure(
    `Of the certificates ${Object.keys(leaves).join(", ")} only ${Object.keys(found).join(", ")} exist.`,
  );
}

function hasEveryLeaf(found: Partial<Record<string, CertifiedKey>>): found is Record<LeafName, CertifiedKey> {
  return Object.keys(leaves).every((name) => found[name] !== undefined);
}
