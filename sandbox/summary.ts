import { execFile } from "node:child_process";
import path from "node:path";
import { SYSTEM_NAMESPACE } from "../api";
import { type CloudAccess, sandboxEnvironment } from "./environment";
import { type SandboxLayout } from "./layout";
import { at, listAt, numberAt, parseJson, textAt } from "../lib/json";

/** One line of the summary: a subject and its state. */
export type SummaryRow = readonly [what: string, how: string];

/** What is in a cluster, as `kubectl get -o json` gives it. */
export interface ClusterObjects {
  /** Nodes and objects of our kinds. */
  everywhere: unknown;
  /** Deployments and DaemonSets of the product. */
  workloads: unknown;
}

const KINDS = [
  ["users", "User"],
  ["registries", "Registry"],
  ["labels", "ClusterLabel", "NodePoolLabel"],
  ["roles", "AuthorizationRole"],
  ["plugins", "Plugin"],
] as const;

/** Asks a cluster for what the summary shows; undefined for what it does not answer. */
export async function clusterObjects(
  layout: SandboxLayout,
  access: CloudAccess | undefined,
  context: string | undefined,
): Promise<ClusterObjects> {
  const kinds = KINDS.flatMap(([, ...names]) => names.map((name) => `${name.toLowerCase()}.fleetwright.dev`));
  const ask = (args: readonly string[]): Promise<unknown> =>
    new Promise((resolve) => {
      const chosen = context === undefined ? [] : ["--context", context];
      execFile(
        path.join(layout.bin, "kubectl"),
        [...chosen, "get", ...args, "--output=json", "--ignore-not-found", "--request-timeout=10s"],
        { env: sandboxEnvironment(layout, access), maxBuffer: 64 << 20 },
        (_error, stdout) => resolve(parseJson(stdout)),
      );
    });
  const [everywhere, workloads] = await Promise.all([
    ask([["nodes", ...kinds].join(",")]),
    ask(["deployments,daemonsets", `--namespace=${SYSTEM_NAMESPACE}`]),
  ]);
  return { everywhere, workloads };
}

/** The summary of a cluster, a line for each thing that a person looks for first. */
export function summaryRows({ everywhere, workloads }: ClusterObjects): SummaryRow[] {
  const objects = listAt(everywhere, "items");
  const nodes = objects.filter((object) => textAt(object, "kind") === "Node");
  return [
    ["nodes", nodesText(nodes)],
    ["workloads", workloadsText(listAt(workloads, "items"))],
    ...KINDS.map(([title, ...kinds]): SummaryRow => {
      const found = objects.filter((object) => kinds.some((kind) => kind === textAt(object, "kind")));
      return [title, kindText(found)];
    }),
  ];
}

function nodesText(nodes: readonly unknown[]): string {
  const versions = [
    ...new Set(nodes.map((node) => textAt(node, "status", "nodeInfo", "kubeletVersion") ?? "unknown")),
  ];
  return `${nodes.filter(isReady).length} of ${nodes.length} ready${versions.length === 0 ? "" : `, ${versions.join(" and ")}`}`;
}

function workloadsText(workloads: readonly unknown[]): string {
  if (workloads.length === 0) return "none";
  return workloads
    .map((workload) => {
      const wanted =
        numberAt(workload, "status", "desiredNumberScheduled") ?? numberAt(workload, "spec", "replicas") ?? 0;
      const ready =
        numberAt(workload, "status", "numberReady") ?? numberAt(workload, "status", "readyReplicas") ?? 0;
      return `${textAt(workload, "metadata", "name") ?? ""} ${ready}/${wanted}`;
    })
    .join(", ");
}

function kindText(objects: readonly unknown[]): string {
  if (objects.length === 0) return "none";
  const names = objects.map((object) => textAt(object, "metadata", "name") ?? "");
  const waiting = objects
    .filter((object) => !isReady(object))
    .map((object) => textAt(object, "metadata", "name") ?? "");
  const shown =
    names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", ");
  return `${shown}${waiting.length === 0 ? "" : ` (not ready yet: ${waiting.slice(0, 8).join(", ")})`}`;
}

function isReady(object: unknown): boolean {
  return listAt(object, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Ready" && at(condition, "status") === "True",
  );
}
