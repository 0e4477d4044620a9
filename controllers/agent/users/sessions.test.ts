import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { endProcesses, isInContainer } from "./sessions";

const POD = "pod8c2f1c4e-0000-4000-8000-000000000000";

test.each<[string, string, boolean]>([
  ["a session", "0::/user.slice/user-70001.slice/session-3.scope", false],
  ["a session as a container sees it", "0::/../../../../user.slice/user-70001.slice/session-3.scope", false],
  ["a login without its own slice", "0::/system.slice/ssh.service", false],
  ["a group that a login named so", "0::/user.slice/user-70001.slice/user@70001.service/kubepods/x", false],
  ["no group", "0::/", false],
  ["nothing", "", false],
  ["a pod", "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8c2f.slice/x.scope", true],
  [
    "another pod as a container sees it",
    "0::/../../kubepods-burstable-pod8c2f.slice/cri-containerd-1.scope",
    true,
  ],
  ["a pod, with cgroupfs", `0::/kubepods/besteffort/${POD}/1`, true],
  ["another pod, with cgroupfs, as a container sees it", `0::/../../${POD}/1`, true],
  ["another class of pods, likewise", `0::/../../../besteffort/${POD}/1`, true],
  ["a pod of cgroup v1", `12:pids:/kubepods/burstable/${POD}/1\n0::/`, true],
])("%s", (_what, cgroup, contained) => {
  expect(isInContainer(`${cgroup}\n`)).toBe(contained);
});

test("processes are found in the given process table, and those of containers are spared", async () => {
  const proc = mkdtempSync(path.join(tmpdir(), "fleetwright-proc-"));
  const entry = (pid: number, cgroup: string): void => {
    mkdirSync(path.join(proc, String(pid)));
    writeFileSync(path.join(proc, String(pid), "status"), "State:\tS (sleeping)\nUid:\t70001\t70001\t0\t0\n");
    writeFileSync(path.join(proc, String(pid), "cgroup"), cgroup);
  };
  const [login, container] = [spawn("sleep", ["600"]), spawn("sleep", ["600"])];
  try {
    entry(login.pid ?? 0, "0::/user.slice/user-70001.slice/session-1.scope\n");
    entry(container.pid ?? 0, "0::/kubepods.slice/kubepods-pod1.slice/x.scope\n");
    const ended = once(login, "exit");
    expect(await endProcesses(proc, 70_001)).toBe(1);
    expect((await ended)[1]).toBe("SIGKILL");
    expect(container.exitCode).toBeNull();
    expect(container.signalCode).toBeNull();
  } finally {
    login.kill("SIGKILL");
    container.kill("SIGKILL");
    rmSync(proc, { recursive: true });
  }
});
