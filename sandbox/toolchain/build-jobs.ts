import type { Tool } from "./tools";

/** A tool that has to be made, and the key under which the cache keeps it. */
export interface MissingTool {
  name: string;
  tool: Tool;
  key: string;
}

/** Tools that one `go build` makes: they come from one Go module with the same settings, so each package is compiled once. */
export interface BuildJob {
  tools: readonly [MissingTool, ...MissingTool[]];
  /** Jobs whose packages this one uses too; built after them it finds those in Go's build cache. */
  after: readonly BuildJob[];
}

/**
 * For a folder below `go/`, those with which it shares the most packages at the same versions. Two builds at once know
 * nothing of each other and would compile them twice. (`etcd` brings the standard library, gRPC and `golang.org/x`.)
 */
const SHARES_PACKAGES_WITH: Readonly<Record<string, readonly string[]>> = {
  kubernetes: ["etcd"],
  "kubernetes-1.34": ["etcd", "kubernetes"],
  pulumi: ["etcd"],
  "language-nodejs": ["etcd", "pulumi"],
  "pulumi-kubernetes": ["etcd", "kubernetes"],
  "hub-apiserver": ["etcd", "kubernetes"],
  coredns: ["etcd", "kubernetes"],
  kwok: ["etcd"],
  rke: ["etcd"],
};

/** Groups tools into jobs, in the order of the first tool of each. */
export function buildJobs(missing: readonly MissingTool[]): BuildJob[] {
  const groups = new Map<string, [MissingTool, ...MissingTool[]]>();
  for (const each of missing) {
    const { folder, package: goPackage, variables, embed } = each.tool.build;
    // The package in the folder itself has no name of its own that its program could get.
    const alone = goPackage === "." ? each.name : undefined;
    const settings = JSON.stringify([folder, variables, embed, each.tool.version, alone]);
    const group = groups.get(settings);
    if (group === undefined) groups.set(settings, [each]);
    else group.push(each);
  }
  const jobs = [...groups.values()].map((tools) => ({ tools, after: [] as BuildJob[] }));
  for (const job of jobs) {
    const folders = SHARES_PACKAGES_WITH[folderOf(job)] ?? [];
    job.after = jobs.filter((other) => other !== job && folders.includes(folderOf(other)));
  }
  return jobs;
}

/** The Go module of a job, a folder below `go/`. */
export function folderOf({ tools: [{ tool }] }: BuildJob): string {
  return tool.build.folder;
}

/** What a job makes, in words. */
export function describeJob({ tools: [first, ...others] }: BuildJob): string {
  const { name, tool } = first;
  const all = [name, ...others.map((other) => other.name)].join(", ");
  const named = all.length <= 32 ? all : `${name} and ${others.length} more`;
  return `${named} ${tool.version}`;
}

/** The processor minutes that a job takes. */
export function minutesOf({ tools }: BuildJob): number {
  return tools.reduce((sum, { tool }) => sum + (tool.buildMinutes ?? 1), 0);
}

/**
 * Gigabytes that a build leaves on the disk: Go's modules, its cache of compiled packages, and the programs. Measured in
 * the order of the table, so that what folders share is counted once.
 */
const GIGABYTES: Readonly<Record<string, number>> = {
  etcd: 0.6,
  kubernetes: 2.6,
  pulumi: 3.2,
  "pulumi-kubernetes": 3.4,
  "hub-apiserver": 0.3,
  coredns: 0.2,
  "language-nodejs": 0.1,
  kwok: 1.2,
};

/** Disk space that a job takes, in gigabytes. */
export function gigabytesOf(job: BuildJob): number {
  return GIGABYTES[folderOf(job)] ?? 1;
}
