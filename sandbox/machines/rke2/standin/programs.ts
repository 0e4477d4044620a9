import { access, mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../../../../lib/failure";
import type { Layout } from "./layout";
import type { Release } from "./release";

/** The programs of a release. */
export const PROGRAMS = [
  "etcd",
  "etcdctl",
  "etcdutl",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
  "kubectl",
] as const;

/** The machine's own programs that RKE2 brings with it. */
const SYSTEM_PROGRAMS = [
  "/usr/bin/containerd",
  "/usr/bin/containerd-shim-runc-v2",
  "/usr/bin/ctr",
  "/usr/sbin/runc",
];

/** Puts links to the programs of a release where RKE2 unpacks its own, and says where they are. */
export async function linkPrograms(release: Release, layout: Layout): Promise<void> {
  const from = path.join(release.runtime, "bin");
  await access(from).catch(() => {
    throw new Failure(
      `The programs of ${release.version} are not in this machine's image (${from}). Open the machine host with the image of rke2Image(), which has them.`,
    );
  });
  await mkdir(layout.bin, { recursive: true, mode: 0o755 });
  for (const program of [...PROGRAMS.map((name) => path.join(from, name)), ...SYSTEM_PROGRAMS]) {
    const link = path.join(layout.bin, path.basename(program));
    await rm(link, { force: true });
    await symlink(program, link);
  }
}
