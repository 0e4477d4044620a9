// Reads when the certificates on the host expire.
import { X509Certificate } from "node:crypto";
import { HostRefusal, type HostFolder, type HostRoot } from "../host";
import type { CertificateFact } from "./plan";

/** The folders of a node's certificates: those of RKE2, of kubeadm and RKE, and of the kubelet. */
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

/** Reads when the host's certificates expire. */
export async function readCertificates(root: HostRoot): Promise<CertificateFact[]> {
  const facts: CertificateFact[] = [];
  for (const folderPath of CERTIFICATE_FOLDERS) {
    try {
      await root.ifFolder(folderPath, async (folder) => {
        for (const name of await folder.names())
          if (/\.(crt|pem|cert)$/.test(name)) facts.push(...(await certificatesIn(folder, name)));
      });
    } catch (error) {
      // A symbolic link on the way. The kubelet's current certificate is one too; its target is in the same folder.
      if (!(error instanceof HostRefusal)) throw error;
    }
  }
  return facts;
}

async function certificatesIn(folder: HostFolder, name: string): Promise<CertificateFact[]> {
  const stats = await folder.lstat(name);
  if (stats?.isFile() !== true || stats.size > 1 << 20) return [];
  const text = (await folder.read(name))?.text ?? "";
  const file = `${folder.path}/${name}`;
  // The first is the leaf; the CAs that follow have files of their own.
  const own = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0];
  if (own === undefined) return [];
  try {
    return [{ file, notAfter: Date.parse(new X509Certificate(own).validTo) }];
  } catch {
    return [];
  }
}
