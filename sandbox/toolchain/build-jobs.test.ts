import { existsSync } from "node:fs";
import path from "node:path";
import { buildJobs, describeJob, folderOf, minutesOf } from "./build-jobs";
import { moduleFolder } from "./cache";
import { TOOL_SETS, type ToolName, TOOLS } from "./tools";

const jobsOf = (names: readonly ToolName[]): ReturnType<typeof buildJobs> =>
  buildJobs(names.map((name) => ({ name, tool: TOOLS[name], key: "key" })));

test("the programs of one module are one job", () => {
  expect(jobsOf(TOOL_SETS.machines).map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["etcd", "etcdctl", "etcdutl"],
    ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kubelet", "kube-proxy"],
    ["coredns"],
    ["pulumi"],
    ["pulumi-language-nodejs"],
    ["pulumi-resource-kubernetes"],
  ]);
});

test("programs with other linker variables are jobs of their own", () => {
  expect(jobsOf(["kubelet", "kubelet-1.34"])).toHaveLength(2);
});

test("a job follows those whose packages it shares, as far as they are built at all", () => {
  const after = (names: readonly ToolName[], folder: string): string[] =>
    jobsOf(names)
      .filter((job) => folderOf(job) === folder)
      .flatMap((job) => job.after.map(folderOf));
  expect(after(TOOL_SETS.machines, "pulumi-kubernetes")).toEqual(["etcd", "kubernetes"]);
  expect(after(TOOL_SETS.machines, "etcd")).toEqual([]);
  expect(after(["pulumi-resource-kubernetes"], "pulumi-kubernetes")).toEqual([]);
});

test.each([
  [["etcd"], "etcd 3.6.5"],
  [["etcd", "etcdctl", "etcdutl"], "etcd, etcdctl, etcdutl 3.6.5"],
  [["kube-apiserver", "kubelet", "kube-proxy", "kubectl"], "kube-apiserver and 3 more 1.35.4"],
] as const)("%j is shown as %j", (names, shown) => {
  expect(jobsOf(names).map(describeJob)).toEqual([shown]);
});

test("a job takes the time of all its tools", () => {
  const [job] = jobsOf(["etcd", "etcdctl"]);
  expect(job && minutesOf(job)).toBe(TOOLS.etcd.buildMinutes + TOOLS.etcdctl.buildMinutes);
});

test("every folder is there", () => {
  for (const job of jobsOf(TOOL_SETS.all)) {
    expect(existsSync(path.join(moduleFolder(job.tools[0].tool), "go.mod"))).toBe(true);
  }
});
