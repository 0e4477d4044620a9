import { ApiClient } from "./api";
import type { CertifiedKey } from "./certificate";
import { portOf, type ComponentName } from "./components";
import type { NotYet } from "../../lib/deadline";
import { parseJson, textAt } from "../../lib/json";
import { LOOPBACK } from "./network";
import type { Ports } from "./ports";

/** What is needed to ask components for their health. */
export interface HealthAccess {
  ports: Ports;
  /** PEM of the cluster's authority. */
  authority: string;
  /** PEM of etcd's authority. */
  etcdAuthority: string;
  /** etcd answers nobody without a certificate, not even about its health. */
  etcdClient: CertifiedKey;
}

const paths: Record<ComponentName, string> = {
  etcd: "/health",
  "kube-apiserver": "/readyz",
  "hub-apiserver": "/readyz",
  "kube-controller-manager": "/healthz",
  "kube-scheduler": "/readyz",
  kwok: "/readyz",
};

/** Asks one component whether it is ready; a certificate of ours proves that it is the right one. */
export async function isReady(component: ComponentName, access: HealthAccess): Promise<true | NotYet> {
  const endpoint = `https://${LOOPBACK}:${portOf(component, access.ports)}`;
  const api = new ApiClient(
    component === "etcd"
      ? { endpoint, authority: access.etcdAuthority, client: access.etcdClient }
      : { endpoint, authority: access.authority },
  );
  try {
    const { status, body } = await api.send("GET", paths[component]);
    return evaluate(component, status, body);
  } finally {
    api.close();
  }
}

function evaluate(component: ComponentName, status: number, body: string): true | NotYet {
  if (status !== 200) return `${component} answered ${status}: ${failedChecks(body)}`;
  if (component === "etcd" && textAt(parseJson(body), "health") !== "true") return `etcd answered ${body}`;
  return true;
}

// The API server lists every check; only those that fail say something.
function failedChecks(body: string): string {
  const failed = body.split("\n").filter((line) => line.startsWith("[-]"));
  return (failed.length > 0 ? failed.join("; ") : body).slice(0, 500);
}
