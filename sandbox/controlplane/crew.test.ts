import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Crew, stopInOrder } from "./crew";
import { waitFor } from "../deadline";
import { isRunning, ProcessEndedError, type ProcessSpec } from "../process";

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "fleetwright-crew-test-"));
});

afterEach(() => rm(dir, { recursive: true, force: true }));

test("a component that is only just starting is stopped too", async () => {
  const crew = quietCrew();
  const starting = crew.start("etcd", shell("etcd", "exec sleep 60"));
  await crew.stop();
  await starting;
  expect(crew.members).toHaveLength(1);
  expect(crew.members.filter(isRunning)).toEqual([]);
});

test("nothing is started after the stop", async () => {
  const crew = quietCrew();
  await crew.stop();
  await expect(crew.start("etcd", shell("etcd", "exec sleep 60"))).rejects.toThrow(
    "The control plane was stopped.",
  );
  expect(crew.members).toEqual([]);
});

test("a component that ends breaks the crew, one that is stopped does not", async () => {
  const ends: string[] = [];
  const crew = new Crew({ onStart: () => {}, onEnd: ({ processName }) => ends.push(processName) });
  await crew.start("etcd", shell("etcd", "exec sleep 60"));
  await crew.start("kwok", shell("kwok", "exit 4"));
  await waitFor("the end", () => crew.broken.aborted, { timeoutMs: 5000 });
  expect(crew.broken.reason).toBeInstanceOf(ProcessEndedError);
  expect(String(crew.broken.reason)).toContain("kwok ended with exit code 4");
  await crew.stop();
  expect(ends).toEqual(["kwok"]);
});

test("the store is stopped last, those that use the API first", async () => {
  const crew = quietCrew();
  const names = ["etcd", "kube-apiserver", "kube-scheduler"] as const;
  for (const name of names) {
    const said = `trap 'echo ${name} >> ${dir}/order; exit' TERM; echo ready; while :; do sleep 0.02; done`;
    await crew.start(name, shell(name, said));
    const ready = async () => (await readFile(join(dir, `${name}.log`), "utf8")).includes("ready");
    await waitFor(`the trap of ${name}`, ready, { timeoutMs: 5000 });
  }
  await stopInOrder(crew.members);
  const order = (await readFile(join(dir, "order"), "utf8")).trim().split("\n");
  expect(order).toEqual(["kube-scheduler", "kube-apiserver", "etcd"]);
});

function quietCrew(): Crew {
  return new Crew({ onStart: () => {}, onEnd: () => {} });
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
