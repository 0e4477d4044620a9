import { join } from "node:path";

/** Where the files of one control plane live below its directory. */
export interface Layout {
  readonly dir: string;
  /** Certificates and private keys. */
  readonly pki: string;
  /** One log a component, the one of the run before as `<name>.log.previous`. */
  readonly logs: string;
  readonly etcdData: string;
  readonly auditLog: string;
  /** Files that components are configured with: audit policy, authentication. */
  readonly configuration: string;
  readonly kubeconfigs: string;
  readonly adminKubeconfig: string;
  /** What runs, on which ports: see record.ts. */
  readonly record: string;
  /** Who owns the directory: see ownership.ts. */
  readonly owner: string;
}

/** The paths of a control plane's files. */
export function layoutOf(dir: string): Layout {
  const logs = join(dir, "logs");
  const kubeconfigs = join(dir, "kubeconfigs");
  return {
    dir,
    pki: join(dir, "pki"),
    logs,
    etcdData: join(dir, "etcd"),
    auditLog: join(logs, "audit.log"),
    configuration: join(dir, "configuration"),
    kubeconfigs,
    adminKubeconfig: join(kubeconfigs, "admin.kubeconfig"),
    record: join(dir, "controlplane.json"),
    owner: join(dir, "owner.json"),
  };
}

/** The directories that must exist before the first component starts. */
export function directoriesOf(layout: Layout): string[] {
  return [layout.dir, layout.pki, layout.logs, layout.etcdData, layout.configuration, layout.kubeconfigs];
}

/** The certificate and key files of one identity. */
export function certificateFiles(layout: Layout, name: string): { certificate: string; key: string } {
  return { certificate: join(layout.pki, `${name}.crt`), key: join(layout.pki, `${name}.key`) };
}

/** The log file of one component. */
export function logFile(layout: Layout, component: string): string {
  return join(layout.logs, `${component}.log`);
}

/** The kubeconfig file of one identity. */
export function kubeconfigFile(layout: Layout, identity: string): string {
  return join(layout.kubeconfigs, `${identity}.kubeconfig`);
}
