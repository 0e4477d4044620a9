import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import {
  certifiedKey,
  daysFromNow,
  type CertificateRequest,
  type CertifiedKey,
  type SubjectNames,
} from "../../../controlplane/certificate";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { authorityOf, type AuthorityName, type SharedFiles } from "./authorities";
import { addressIn, type Settings } from "./settings";

/** RKE2 renews at a start what has fewer days left than this. */
const RENEW_BEFORE_DAYS = 120;
const DAYS = 365;

interface Leaf {
  authority: AuthorityName;
  user: string;
  groups?: readonly string[];
  names?: SubjectNames;
  client: boolean;
}

/** The certificates of a server, by the path of their files below `server/tls`. */
export function serverLeaves(settings: Settings): Readonly<Record<string, Leaf>> {
  const client = (user: string, groups: readonly string[] = []): Leaf => ({
    ...{ authority: "client-ca" as const, user, groups, client: true },
  });
  const names = serverNames(settings);
  return {
    "client-admin": client("system:admin", ["system:masters"]),
    "client-supervisor": client("system:rke2-supervisor", ["system:masters"]),
    "client-controller": client("system:kube-controller-manager"),
    "client-scheduler": client("system:kube-scheduler"),
    "client-kube-apiserver": client("system:apiserver", ["system:masters"]),
    "client-auth-proxy": { authority: "request-header-ca", user: "system:auth-proxy", client: true },
    "serving-kube-apiserver": { authority: "server-ca", user: "kube-apiserver", names, client: false },
    "kube-controller-manager/kube-controller-manager": {
      ...{ authority: "server-ca" as const, user: "kube-controller-manager", client: false },
      names: loopback,
    },
    "kube-scheduler/kube-scheduler": {
      authority: "server-ca",
      user: "kube-scheduler",
      names: loopback,
      client: false,
    },
    // etcd calls itself over its own client port, so its server certificate is a client certificate too.
    "etcd/server-client": {
      ...{ authority: "etcd/server-ca" as const, user: "etcd-server", client: true },
      names: { dns: ["localhost", settings.nodeName], ips: ["127.0.0.1", settings.nodeIp] },
    },
    "etcd/peer-server-client": {
      ...{ authority: "etcd/peer-ca" as const, user: "etcd-peer", client: true },
      names: { dns: ["localhost", settings.nodeName], ips: ["127.0.0.1", settings.nodeIp] },
    },
    "etcd/client": { authority: "etcd/server-ca", user: "etcd-client", client: true },
  };
}

const loopback: SubjectNames = { dns: ["localhost"], ips: ["127.0.0.1"] };

function serverNames(settings: Settings): SubjectNames {
  const wanted = [
    ...["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    `kubernetes.default.svc.${settings.clusterDomain}`,
    ...[
      settings.nodeName,
      settings.nodeIp,
      settings.advertiseAddress,
      "127.0.0.1",
      addressIn(settings.serviceCidr, 1),
    ],
    ...(settings.nodeExternalIp === undefined ? [] : [settings.nodeExternalIp]),
    ...settings.tlsSans,
  ];
  const isAddress = (name: string): boolean => /^[0-9.]+$/.test(name) || name.includes(":");
  const unique = [...new Set(wanted)];
  return { dns: unique.filter((name) => !isAddress(name)), ips: unique.filter(isAddress) };
}

/** Makes the certificates of a server that are missing, end soon or lack a name. */
export async function ensureServerLeaves(
  tls: string,
  shared: SharedFiles,
  settings: Settings,
): Promise<void> {
  for (const [name, leaf] of Object.entries(serverLeaves(settings))) {
    const file = path.join(tls, name);
    const issuer = authorityOf(shared, leaf.authority);
    const stored = await readPair(file);
    if (stored === undefined || !stillGood(stored, leaf, issuer, new Date()))
      await writePair(file, await certifiedKey(requestOf(leaf), issuer));
  }
}

/** The certificates that a node gets from a server. */
export async function nodeCertificate(
  shared: SharedFiles,
  which: "client-kubelet" | "serving-kubelet" | "client-kube-proxy" | "client-rke2-controller",
  node: { name: string; ip: string },
): Promise<CertifiedKey> {
  const client = (user: string, groups: readonly string[] = []): Leaf => ({
    ...{ authority: "client-ca" as const, user, groups, client: true },
  });
  const leaves: Record<typeof which, Leaf> = {
    "client-kubelet": client(`system:node:${node.name}`, ["system:nodes"]),
    "client-kube-proxy": client("system:kube-proxy"),
    "client-rke2-controller": client("system:rke2-controller"),
    "serving-kubelet": {
      ...{ authority: "server-ca" as const, user: node.name, client: false },
      names: { dns: [node.name, "localhost"], ips: ["127.0.0.1", node.ip] },
    },
  };
  const leaf = leaves[which];
  return certifiedKey(requestOf(leaf), authorityOf(shared, leaf.authority));
}

/** Whether a stored certificate can go on being used. */
export function stillGood(stored: CertifiedKey, leaf: Leaf, issuer: CertifiedKey, now: Date): boolean {
  const certificate = new X509Certificate(stored.certificate);
  const authority = new X509Certificate(issuer.certificate);
  const left = new Date(certificate.validTo).getTime() - now.getTime();
  return (
    left > RENEW_BEFORE_DAYS * 24 * 3600 * 1000 &&
    certificate.checkPrivateKey(createPrivateKey(stored.key)) &&
    certificate.verify(authority.publicKey) &&
    (leaf.names?.dns ?? []).every((name) => certificate.checkHost(name) !== undefined) &&
    (leaf.names?.ips ?? []).every((ip) => certificate.checkIP(ip) !== undefined)
  );
}

/** Reads `<file>.crt` and `<file>.key`. */
export async function readPair(file: string): Promise<CertifiedKey | undefined> {
  const [certificate, key] = await Promise.all([readIfPresent(`${file}.crt`), readIfPresent(`${file}.key`)]);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** Writes them, the key first. */
export async function writePair(file: string, made: CertifiedKey): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writePrivate(`${file}.key`, made.key);
  await writePrivate(`${file}.crt`, made.certificate);
}

function requestOf(leaf: Leaf): CertificateRequest {
  return {
    subject: { commonName: leaf.user, organizations: leaf.groups ?? [] },
    usages: [
      ...(["digitalSignature", "keyEncipherment"] as const),
      ...(leaf.names === undefined ? [] : (["serverAuth"] as const)),
      ...(leaf.client ? (["clientAuth"] as const) : []),
    ],
    ...(leaf.names === undefined ? {} : { names: leaf.names }),
    notAfter: daysFromNow(DAYS),
  };
}
