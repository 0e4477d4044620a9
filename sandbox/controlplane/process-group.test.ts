import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessGroup, stopInOrder } from "./process-group";
import { waitFor } from "../../lib/deadline";
import { isRunning, ProcessEndedError, type ProcessSpec } from "../../lib/process";

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fleetwright-process-group-test-"));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

test("a component that is only just starting is stopped too", async () => {
  const group = quietGroup();
  const starting = group.start("etcd", shell("etcd", "exec sleep 3600"));
  await group.stop();
  await starting;
  expect(group.members).toHaveLength(1);
  expect(group.members.filter(isRunning)).toEqual([]);
});

test("nothing is started after the stop", async () => {
  const group = quietGroup();
  await group.stop();
  await expect(group.start("etcd", shell("etcd", "exec sleep 3600"))).rejects.toThrow(
    "The control plane was stopped.",
  );
  expect(group.members).toEqual([]);
});

test("a component that ends breaks the group, one that is stopped does not", async () => {
  const ends: string[] = [];
  const group = new ProcessGroup({ onStart: () => {}, onEnd: ({ processName }) => ends.push(processName) });
  await group.start("etcd", shell("etcd", "exec sleep 3600"));
  await group.start("kwok", shell("kwok", "exit 4"));
  await waitFor("the end", () => group.broken.aborted, { timeoutMs: 120_000 });
  expect(group.broken.reason).toBeInstanceOf(ProcessEndedError);
  expect(String(group.broken.reason)).toContain("kwok ended with exit code 4");
  await group.stop();
  expect(ends).toEqual(["kwok"]);
});

test("the store is stopped last, those that use the API first", async () => {
  const group = quietGroup();
  const names = ["etcd", "kube-apiserver", "kube-scheduler"] as const;
  for (const name of names) {
    const said = `trap 'echo ${name} >> ${dir}/order; exit' TERM; echo ready; while :; do sleep 0.02; done`;
    await group.start(name, shell(name, said));
    const ready = async () => (await readFile(join(dir, `${name}.log`), "utf8")).includes("ready");
    await waitFor(`the trap of ${name}`, ready, { timeoutMs: 120_000 });
  }
  await stopInOrder(group.members);
  const order = (await readFile(join(dir, "order"), "utf8")).trim().split("\n");
  expect(order).toEqual(["kube-scheduler", "kube-apiserver", "etcd"]);
});

function quietGroup(): ProcessGroup {
  return new ProcessGroup({ onStart: () => {}, onEnd: () => {} });
}

function shell(name: string, script: string): Omit<ProcessSpec, "name"> {
  const env = { PATH: process.env.PATH ?? "" };
  return {
    command: "/bin/sh",
    args: ["-c", script],
    env,
    logFile: join(dir, `${name}.log`),
    lifetime: "owned",
  };
}
