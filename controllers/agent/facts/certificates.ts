import { X509Certificate } from "node:crypto";
import { HostRefusal, type HostFolder, type HostRoot } from "../host";
import type { NodeJudgement } from "../own-node";

/** Where a node's certificates lie: RKE2's, kubeadm's and RKE's, the kubelet's. */
export const CERTIFICATE_FOLDERS: readonly string[] = [
  "/var/lib/rancher/rke2/server/tls",
  "/var/lib/rancher/rke2/server/tls/etcd",
  "/var/lib/rancher/rke2/server/tls/kube-controller-manager",
  "/var/lib/rancher/rke2/server/tls/kube-scheduler",
  "/var/lib/rancher/rke2/agent",
  "/etc/kubernetes/pki",
  "/etc/kubernetes/pki/etcd",
  "/etc/kubernetes/ssl",
  "/var/lib/kubelet/pki",
];
/** So many days before its end a certificate is told of. */
export const EXPIRY_DAYS = 30;

/** A certificate by its file. */
export interface CertificateFact {
  file: string;
  notAfter: number;
}

/** Judges certificates; no judgement if there are none. */
export function judgeCertificates(found: readonly CertificateFact[], now: number): NodeJudgement | undefined {
  if (found.length === 0) return undefined;
  const soon = found
    .filter(({ notAfter }) => notAfter - now < EXPIRY_DAYS * 86_400_000)
    .sort((a, b) => a.notAfter - b.notAfter);
  if (soon.length === 0)
    return { bad: false, reason: "CertificatesWell", message: `None expires within ${EXPIRY_DAYS} days.` };
  const named = soon
    .slice(0, 5)
    .map(({ file, notAfter }) => `${file} (${new Date(notAfter).toISOString().slice(0, 10)})`);
  const expired = soon.some(({ notAfter }) => notAfter <= now);
  return {
    bad: true,
    reason: expired ? "CertificateExpired" : "CertificateExpiresSoon",
    message: `${named.join(", ")}${soon.length > 5 ? ` and ${soon.length - 5} more` : ""}: rotate them; RKE2 does it when its service is restarted.`,
  };
}

/** Reads when the host's certificates expire. */
export async function readCertificates(root: HostRoot): Promise<CertificateFact[]> {
  const facts: CertificateFact[] = [];
  for (const place of CERTIFICATE_FOLDERS) {
    try {
      await root.ifFolder(place, async (folder) => {
        for (const name of await folder.names())
          if (/\.(crt|pem|cert)$/.test(name)) facts.push(...(await certificatesIn(folder, name)));
      });
    } catch (error) {
      // A link somewhere on the way; the kubelet's current certificate is one too, beside the file that it means.
      if (!(error instanceof HostRefusal)) throw error;
    }
  }
  return facts;
}

async function certificatesIn(folder: HostFolder, name: string): Promise<CertificateFact[]> {
  const stats = await folder.look(name);
  if (stats?.isFile() !== true || stats.size > 1 << 20) return [];
  const text = (await folder.read(name))?.text ?? "";
  const file = `${folder.path}/${name}`;
  // The first is the file's own; what follows are the authorities above it, which have files of their own.
  const own = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0];
  if (own === undefined) return [];
  try {
    return [{ file, notAfter: Date.parse(new X509Certificate(own).validTo) }];
  } catch {
    return [];
  }
}
