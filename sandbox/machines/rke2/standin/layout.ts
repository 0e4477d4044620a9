import path from "node:path";

/** Where everything lies, as in RKE2. */
export interface Layout {
  dataDir: string;
  /** Links to the programs of this release, kubectl first of all. */
  bin: string;
  server: string;
  tls: string;
  cred: string;
  manifests: string;
  db: string;
  etcd: string;
  resetFlag: string;
  token: string;
  nodeToken: string;
  agentToken: string;
  auditLog: string;
  agent: string;
  images: string;
  logs: string;
  podManifests: string;
  containerdConfig: string;
  containerdRoot: string;
  /** Where the node's own certificates and kubeconfigs lie. */
  node: string;
}

/** All files and folders below a data directory. */
export function layoutOf(dataDir: string): Layout {
  const server = path.join(dataDir, "server");
  const agent = path.join(dataDir, "agent");
  const db = path.join(server, "db");
  return {
    dataDir,
    bin: path.join(dataDir, "bin"),
    server,
    tls: path.join(server, "tls"),
    cred: path.join(server, "cred"),
    manifests: path.join(server, "manifests"),
    db,
    etcd: path.join(db, "etcd"),
    resetFlag: path.join(db, "reset-flag"),
    token: path.join(server, "token"),
    nodeToken: path.join(server, "node-token"),
    agentToken: path.join(server, "agent-token"),
    auditLog: path.join(server, "logs", "audit.log"),
    agent,
    images: path.join(agent, "images"),
    logs: path.join(agent, "logs"),
    podManifests: path.join(agent, "pod-manifests"),
    containerdConfig: path.join(agent, "etc", "containerd", "config.toml"),
    containerdRoot: path.join(agent, "containerd"),
    node: agent,
  };
}

/** Where a node keeps the secret that proves that it is the one that had this name before. */
export const NODE_PASSWORD_FILE = "/etc/rancher/node/password";
/** The configuration file and the folder of its additions. */
export const CONFIG_FILE = "/etc/rancher/rke2/config.yaml";
/** Where containerd listens, as in k3s and RKE2. */
export const CONTAINERD_SOCKET = "/run/k3s/containerd/containerd.sock";
/** The port of the supervisor. */
export const SUPERVISOR_PORT = 9345;
/** The port of the API server. */
export const API_PORT = 6443;
